package specs

import (
	"github.com/draconform/draconform/e2e/suite"
)

// ofCapacity lists the specs of the profile capacity.
var ofCapacity = []suite.Spec{
	sharedDeviceServesClaimsAndRequests,
	sharedDeviceServesNamespaces,
	sharedDeviceClaimsOfOnePod,
	sharedDeviceConsumesByPolicy,
	sharedDeviceWithoutPolicy,
	sharedDeviceKeepsToPolicy,
	sharedDeviceIsUsedUpExactly,
	sharedDeviceEveryCapacityCounts,
	sharedDeviceCapacityOfOnePool,
	sharedDeviceDistinctAttribute,
	sharedDeviceDistinctValues,
	sharedDeviceMatchAttribute,
	sharedDeviceToldFromOthers,
	sharedDeviceStaysExclusive,
	sharedDeviceConsumesCountersOnce,
	sharedDeviceAsAlternative,
	sharedDeviceStatusOfEachShare,
	sharedDeviceIsValidated,
	sharedDeviceFieldsDropped,
}
