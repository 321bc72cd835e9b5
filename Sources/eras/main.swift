print("eras")
