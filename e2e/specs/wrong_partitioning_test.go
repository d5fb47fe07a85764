package specs_test

import (
	"github.com/draconform/draconform/e2e/internal/fakecluster"
)

// wrongPartitioning are clusters that handle partitions, and the pools that have them,
// in a wrong way.
var wrongPartitioning = map[string]mistake{
	"scheduler allocates from an older generation": {
		cluster: makes(fakecluster.Mistakes{Misreads: func(s *fakecluster.Scene) {
			for _, slice := range s.Objects.Slices {
				if slice.Spec.Pool.Generation == 1 {
					slice.Spec.Pool.Name += "-of-its-own"
				}
			}
		}}),
		spec: "pool-newest-generation-counts",
		want: []string{"pod old should be refused, because its device is in an older generation of the pool"},
	},
}
