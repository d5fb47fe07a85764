package specs

import "github.com/draconform/draconform/e2e/suite"

// ofPartitioning are the specs of the profile partitioning.
var ofPartitioning = []suite.Spec{
	partitionMixFitsOneParent,
	partitionReleaseReturnsCounters,
	partitionExcludesWhole,
	poolNewestGenerationCounts,
}
