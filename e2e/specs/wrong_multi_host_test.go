package specs_test

// wrongMultiHost are clusters that handle devices of several nodes in a wrong way.
var wrongMultiHost = map[string]mistake{}
