// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"maps"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongChanges are clusters whose scheduler does not observe how objects change.
var wrongChanges = wrong.Table{
	"scheduler does not retry pods when classes are updated": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Overlooks: "deviceclasses"}), Spec: "class-changed-lets-pods-in",
		Want: []string{"pod waiting is not scheduled"},
	},
	"scheduler keeps the first version of classes": {
		Options: wrong.Misreads(keepClasses()), Spec: "class-changed-lets-pods-in",
		Want: []string{"pod waiting is not scheduled"},
	},
	"scheduler keeps what a class has selected": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, class := range s.Objects.Classes {
				if strings.HasPrefix(s.Pod.Name, "former") && strings.HasSuffix(class.Name, "-brief") {
					class.Spec.Selectors = nil
				}
			}
		}), Spec: "class-changed-lets-pods-in",
		Want: []string{"a pod like former should be pending, because the class of its claim selects no device any more"},
	},
	"scheduler keeps the configuration of classes": {
		Options: wrong.Misreads(keepConfigured()), Spec: "class-changed-configures-anew",
		Want: []string{"each request of a claim should be configured once by its class, which has the mode fast"},
	},
	"scheduler adds to the configuration of classes": {
		Options: wrong.Misreads(addConfiguration()), Spec: "class-changed-configures-anew",
		Want: []string{"each request of a claim should be configured once by its class, which has the mode fast"},
	},
	"scheduler repeats the configuration of a class for each request": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Miswrites: func(_ *fakecluster.Scene, results []resourceapi.AllocationResult) {
			for i := range results {
				results[i].Devices.Config = slices.Repeat(results[i].Devices.Config, len(results[i].Devices.Results))
			}
		}}), Spec: "class-changed-configures-anew",
		Want: []string{"each request of a claim should be configured once by its class, which has the mode slow"},
	},
	"scheduler remembers deleted slices": {
		Options: wrong.Misreads(keepSlices()), Spec: "slice-deleted-takes-devices-away",
		Want: []string{"a pod like gone should be pending, because the slice of its device was deleted"},
	},
	"scheduler forgets all slices when one is deleted": {
		Options: wrong.Misreads(forgetSlices()), Spec: "slice-deleted-takes-devices-away",
		Want: []string{"pod card is not scheduled"},
	},
	"scheduler keeps the first version of claims": {
		Options: wrong.Misreads(keepSpecs()), Spec: "claim-replaced-lets-pods-in",
		Want: []string{"pod pod is not scheduled"},
	},
	"scheduler does not retry pods when claims are created again": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Overlooks: "resourceclaims"}), Spec: "claim-replaced-lets-pods-in",
		Want: []string{"pod pod is not scheduled"},
	},
}

// keepConfigured makes the scheduler see the first configuration of each class.
func keepConfigured() func(*fakecluster.Scene) {
	first := map[string][]resourceapi.DeviceClassConfiguration{}
	return func(s *fakecluster.Scene) {
		for _, class := range s.Objects.Classes {
			if len(first[class.Name]) == 0 {
				first[class.Name] = class.Spec.Config
			}
			class.Spec.Config = first[class.Name]
		}
	}
}

// addConfiguration makes the scheduler see the first configuration of each class in
// addition to the current one.
func addConfiguration() func(*fakecluster.Scene) {
	first := map[string][]resourceapi.DeviceClassConfiguration{}
	return func(s *fakecluster.Scene) {
		for _, class := range s.Objects.Classes {
			now := class.Spec.Config
			if before := first[class.Name]; len(before) > 0 && len(now) > 0 && string(before[0].Opaque.Parameters.Raw) != string(now[0].Opaque.Parameters.Raw) {
				class.Spec.Config = slices.Concat(before, now)
			}
			if len(first[class.Name]) == 0 {
				first[class.Name] = now
			}
		}
	}
}

// keepSlices makes the scheduler see deleted slices.
func keepSlices() func(*fakecluster.Scene) {
	seen := map[string]*resourceapi.ResourceSlice{}
	return func(s *fakecluster.Scene) {
		for _, slice := range s.Objects.Slices {
			seen[slice.Name] = slice
		}
		s.Objects.Slices = slices.Collect(maps.Values(seen))
	}
}

// forgetSlices makes the scheduler see no slices any more once one was deleted.
func forgetSlices() func(*fakecluster.Scene) {
	most := 0
	return func(s *fakecluster.Scene) {
		most = max(most, len(s.Objects.Slices))
		if len(s.Objects.Slices) < most {
			s.Objects.Slices = nil
		}
	}
}

// keepSpecs makes the scheduler see the first spec of a claim of each name.
func keepSpecs() func(*fakecluster.Scene) {
	first := map[string]resourceapi.ResourceClaimSpec{}
	return func(s *fakecluster.Scene) {
		for _, claim := range s.Claims {
			if _, ok := first[claim.Name]; !ok {
				first[claim.Name] = *claim.Spec.DeepCopy()
			}
			claim.Spec = first[claim.Name]
		}
	}
}
