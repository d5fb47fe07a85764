package specs_test

import "github.com/draconform/draconform/e2e/internal/fakecluster"

// wrongDrivers are clusters in which a driver breaks what it owes kubelets that
// have lost sight of it, or it of them.
var wrongDrivers = map[string]mistake{
	"driver does not prepare what it has prepared": {
		cluster: makes(fakecluster.Mistakes{PreparesOnce: true}), spec: "answers-are-the-same-again",
		want: []string{"while waiting until pod again-0 runs", "pod again-0 is Pending: last event: FailedPrepareDynamicResources"},
	},
	"driver prepares something else when it is asked again": {
		cluster: makes(fakecluster.Mistakes{PreparesOthersAgain: true}), spec: "answers-are-the-same-again",
		want: []string{"the driver should answer the same CDI devices for claim again each time", "-again"},
	},
	"driver does not give back what is given back": {
		cluster: makes(fakecluster.Mistakes{UnpreparesOnce: true}), spec: "answers-are-the-same-again",
		want: []string{"while removing pod and claim again", "pod again-0 is still there"},
	},
	"kubelet does not ask again whose answer was lost": {
		cluster: makes(fakecluster.Mistakes{NeverRetries: true}), spec: "answers-are-the-same-again",
		want: []string{"while waiting until pod again-0 runs", "the spec wants this answer to be lost"},
	},
}
