// Package specs holds what draconform asserts, one behaviour in a file.
package specs

import "github.com/draconform/draconform/e2e/suite"

// Profiles.
const partitioning = "partitioning"

// All returns every spec, in the order they run.
func All() []suite.Spec {
	return []suite.Spec{
		partitionMixFitsOneParent,
		partitionReleaseReturnsCounters,
		partitionExcludesWhole,
	}
}
