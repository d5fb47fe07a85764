package specs_test

// wrongPrioritizedList are clusters that handle prioritized lists in a wrong way.
var wrongPrioritizedList = map[string]mistake{}
