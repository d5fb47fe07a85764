package specs_test

// wrongContract are clusters in which kubelet or driver breaks what they owe each
// other.
var wrongContract = map[string]mistake{}
