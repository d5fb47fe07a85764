package capacity

import (
	"github.com/draconform/draconform/e2e/suite"
)

// profile is the name of the profile.
const profile = "capacity"

// Specs lists the specs of the profile capacity.
var Specs = []suite.Spec{
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
