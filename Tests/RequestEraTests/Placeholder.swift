import RequestEra
import Testing
