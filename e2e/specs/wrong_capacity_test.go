package specs_test

// wrongCapacity are clusters that handle shared devices in a wrong way.
var wrongCapacity = map[string]mistake{}
