package specs_test

import (
	"github.com/draconform/draconform/e2e/internal/fakecluster"
)

// wrongWithPools are schedulers that read slices in a wrong way.
var wrongWithPools = map[string]mistake{
	"scheduler allocates from an older generation": {
		cluster: makes(fakecluster.Mistakes{Misreads: func(s *fakecluster.Scene) {
			for _, slice := range s.Objects.Slices {
				slice.Spec.Pool.Name += "-of-another-generation"[:slice.Spec.Pool.Generation]
				slice.Spec.Pool.Generation = 1
			}
		}}),
		spec: "pool-newest-generation-counts",
		want: []string{"pod old should be refused, because its device is in an older generation of the pool"},
	},
}
