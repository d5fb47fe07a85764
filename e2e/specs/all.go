// Package specs holds what draconform asserts, one behaviour in a file.
package specs

import (
	"slices"

	"github.com/draconform/draconform/e2e/suite"
)

// Profiles.
const (
	partitioning    = "partitioning"
	prioritizedList = "prioritized-list"
	driver          = "driver"
)

// All returns every spec, in the order they run.
func All() []suite.Spec {
	return slices.Concat(
		[]suite.Spec{
			partitionMixFitsOneParent,
			partitionReleaseReturnsCounters,
			partitionExcludesWhole,
			poolNewestGenerationCounts,
			prioritizedListTakesFirst,
			prioritizedListFallsBack,
			prioritizedListCountsEachAlternative,
			prioritizedListConstraintByRequest,
			prioritizedListConstraintBySubrequest,
			prioritizedListEarlierRequestDecides,
			prioritizedListConfiguresWhatWasTaken,
			prioritizedListConfiguresByClassTaken,
			prioritizedListWaitsUntilOneFits,
		},
		preparedAndReleased, survivesDriverRestart, survivesKubeletRestart, survivesDriverUpdate, survivesNodeRestart,
	)
}
