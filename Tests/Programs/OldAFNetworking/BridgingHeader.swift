// What a program adds once: every file of the target sees what module AFNetworking has, as with a bridging
// header, also one that imports Foundation alone.
@_exported import AFNetworking
