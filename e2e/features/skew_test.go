package features_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
)

// The scheduler of 1.34 looks for counters in the slices of the devices. The
// API server of 1.35 stores them in separate slices.
func TestDetectPartitionsWithAnOlderScheduler(t *testing.T) {
	for name, test := range map[string]struct {
		known   features.Known
		present bool
	}{
		"not known":                {features.Known{Server: "v1.35.4"}, true},
		"same release":             {features.Known{Server: "v1.34.4", Scheduler: "v1.34.4"}, true},
		"older":                    {features.Known{Server: "v1.35.4", Scheduler: "v1.34.4"}, false},
		"older, counters are read": {features.Known{Server: "v1.36.3", Scheduler: "v1.35.4"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := cluster("resource.k8s.io/v1")
			answer(client, asItIs, nil)
			found, err := features.Detect(t.Context(), client, test.known, nil)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(found[features.Partitions].Present).To(Equal(test.present))
			if !test.present {
				g.Expect(found[features.Partitions].Source).To(Equal("the API server v1.35.4 accepts counters only in separate slices, where the scheduler v1.34.4 ignores them"))
			}
		})
	}
}
