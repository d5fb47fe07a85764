package specs_test

// wrongAffinity are clusters that handle sharing affinity in a wrong way.
var wrongAffinity = map[string]mistake{}
