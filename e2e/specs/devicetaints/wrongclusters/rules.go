// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongRules are clusters that make mistakes with DeviceTaintRules.
var wrongRules = wrong.Table{
	"scheduler ignores rules": {
		Options: misreadsRules(func(r *resourceapi.DeviceTaintRule) { r.Spec.DeviceSelector = nil }), Spec: "taint-rule-taints-selected-device",
		Want: []string{"a pod like closed-card-of-node-0 should be pending, because a device taint rule selects it", "claim closed-card-of-node-0-", "was allocated"},
	},
	"one matching criterion is sufficient": {
		Options: misreadsRules(func(r *resourceapi.DeviceTaintRule) {
			r.Spec.DeviceSelector.Device, r.Spec.DeviceSelector.Pool = nil, nil
		}), Spec: "taint-rule-taints-selected-device",
		Want: []string{"pod disk-of-node-0 is not scheduled"},
	},
	"scheduler ignores the driver of rules": {
		Options: misreadsRules(func(r *resourceapi.DeviceTaintRule) { r.Spec.DeviceSelector.Driver = nil }), Spec: "taint-rule-selects-by-driver",
		Want: []string{"pod card-of-node-0 is not scheduled"},
	},
	"scheduler ignores rules that name a driver only": {
		Options: misreadsRules(func(r *resourceapi.DeviceTaintRule) {
			if r.Spec.DeviceSelector.Pool == nil && r.Spec.DeviceSelector.Device == nil {
				r.Spec.DeviceSelector = nil
			}
		}), Spec: "taint-rule-selects-by-driver",
		Want: []string{"a pod like closed-disk-of-node-0 should be pending, because a device taint rule selects all devices of the driver"},
	},
	"scheduler reads the first rule for a device": {
		Options: wrong.MisreadsDevices(firstTaint), Spec: "taint-rules-add-up",
		Want: []string{"does not tolerate the taint of the"},
	},
	"scheduler reads the last rule for a device": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) { d.Taints = d.Taints[max(0, len(d.Taints)-1):] }), Spec: "taint-rules-add-up",
		Want: []string{"does not tolerate the taint of the"},
	},
	"scheduler forgets all rules for a device when one is deleted": {
		Options: wrong.Misreads(forgetTaints()), Spec: "taint-rules-add-up",
		Want: []string{"pod only-hot should", "because the first device taint rule still exists"},
	},
	"scheduler ignores the pool of rules": {
		Options: misreadsRules(func(r *resourceapi.DeviceTaintRule) { r.Spec.DeviceSelector.Pool = nil }), Spec: "taint-rule-selects-by-pool",
		Want: []string{"pod card-of-node-1 is not scheduled"},
	},
	"scheduler ignores the device of rules": {
		Options: misreadsRules(func(r *resourceapi.DeviceTaintRule) { r.Spec.DeviceSelector.Device = nil }), Spec: "taint-rule-selects-by-device",
		Want: []string{"pod disk-of-node-0 is not scheduled"},
	},
	"scheduler ignores rules with an empty selector": {
		Options: misreadsRules(func(r *resourceapi.DeviceTaintRule) {
			if r.Spec.DeviceSelector != nil && *r.Spec.DeviceSelector == (resourceapi.DeviceTaintSelector{}) {
				r.Spec.DeviceSelector = nil
			}
		}),
		Spec: "taint-rule-without-criteria", Want: []string{"a pod like closed-card-of-node-0 should be pending, because the selector of a device taint rule is empty"},
	},
	"scheduler applies rules without a selector to all devices": {
		Options: misreadsRules(func(r *resourceapi.DeviceTaintRule) {
			if r.Spec.DeviceSelector == nil {
				r.Spec.DeviceSelector = &resourceapi.DeviceTaintSelector{}
			}
		}),
		Spec: "taint-rule-without-criteria", Want: []string{"pod closed-card-of-node-0-0 is not scheduled"},
	},
	"scheduler ignores rules without a pool": {
		Options: misreadsRules(func(r *resourceapi.DeviceTaintRule) {
			if r.Spec.DeviceSelector.Pool == nil {
				r.Spec.DeviceSelector = nil
			}
		}),
		Spec: "taint-rule-selects-by-device", Want: []string{"a pod like closed-card-of-node-0 should be pending, because a device taint rule selects its name"},
	},
	"scheduler reads the taints of rules instead of published ones": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) { d.Taints = d.Taints[max(0, len(d.Taints)-1):] }), Spec: "taint-rule-adds-to-published-taints",
		Want: []string{"pod only-the-rule should be unschedulable, because its claim does not tolerate the taint in the ResourceSlice"},
	},
	"scheduler reads published taints instead of those of rules": {
		Options: wrong.MisreadsDevices(firstTaint), Spec: "taint-rule-adds-to-published-taints",
		Want: []string{"a pod like closed-card-of-node-0 should be pending, because the claim does not tolerate the taint of the device taint rule"},
	},
	"scheduler remembers deleted rules": {
		Options: wrong.Misreads(keepTaints(true)), Spec: "taint-rule-deleted-lets-pods-in",
		Want: []string{"pod closed-card-of-node-0-0 is not scheduled"},
	},
	"scheduler forgets all rules when one is deleted": {
		Options: wrong.Misreads(forgetRules()), Spec: "taint-rule-deleted-lets-pods-in",
		Want: []string{"pod closed-disk-of-node-0-0 should", "because another device taint rule selects its device"},
	},
	"rules evict nobody": {
		Options: wrong.Misevicts(func(e *fakecluster.Eviction) { e.ByRules = nil }), Spec: "taint-rule-evicts-running-pods",
		Want: []string{"pod selected should be evicted, because a device taint rule of the effect NoExecute selects its pool"},
	},
	"rules evict everybody": {
		Options: wrong.Misevicts(func(e *fakecluster.Eviction) { e.ByRules = evictingTaint }), Spec: "taint-rule-evicts-running-pods",
		Want: []string{"should stay"},
	},
	"evictions ignore the driver of rules": {
		Options: wrong.With(fakecluster.ControllerMistakes{MisreadsEvictingRules: func(r *resourceapi.DeviceTaintRule) { r.Spec.DeviceSelector.Driver = nil }}),
		Spec:    "taint-rule-evicts-running-pods",
		Want:    []string{"should stay, because neither a rule for another pool nor one for another driver selects their devices", "pod other-card is deleted"},
	},
	"scheduler keeps the first version of rules": {
		Options: misreadsRules(keepRules(func(r, first *resourceapi.DeviceTaintRuleSpec) { *r = *first })), Spec: "taint-rule-changed-counts-anew",
		Want: []string{"pod closed-card-of-node-0-0 is not scheduled"},
	},
	"scheduler keeps what a rule selected first": {
		Options: misreadsRules(keepRules(func(r, first *resourceapi.DeviceTaintRuleSpec) { r.DeviceSelector = first.DeviceSelector })), Spec: "taint-rule-changed-counts-anew",
		Want: []string{"is not scheduled"},
	},
	"scheduler forgets rules that have had no effect": {
		Options: misreadsRules(forgetChanged()), Spec: "taint-rule-changed-counts-anew",
		Want: []string{"a pod like closed-card-of-node-0 should be pending, because the effect of the device taint rule is NoExecute now"},
	},
	"scheduler applies rules to devices that exist": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, slice := range s.Objects.Slices {
				if slice.Spec.Pool.Name == "later" {
					slice.Spec.Devices[0].Taints = nil
				}
			}
		}), Spec: "taint-rule-taints-later-devices",
		Want: []string{"a pod like closed-fan-of-node-1 should be pending, because a device taint rule selects its pool"},
	},
	"scheduler forgets rules after a while": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "again" {
				wrong.ForEachDevice(s, func(_ *resourceapi.ResourceSliceSpec, d *resourceapi.Device) { d.Taints = nil })
			}
		}), Spec: "taint-rule-taints-later-devices",
		Want: []string{"pod again should be unschedulable, because the device taint rule for its device still exists"},
	},
	"scheduler forgets the rules for the devices of an updated slice": {
		Options: wrong.Misreads(forgetRulesOfUpdated("updated")), Spec: "taint-rule-taints-later-devices",
		Want: []string{"pod updated should", "because an update of the slice leaves the device taint rule for its device as it is"},
	},
	"scheduler forgets the rules for the devices of an updated slice for pods that wait": {
		Options: wrong.Misreads(forgetRulesOfUpdated("again")), Spec: "taint-rule-taints-later-devices",
		Want: []string{"pod again should", "because an update of the slice leaves the device taint rule for its device as it is"},
	},
	"controller keeps the first effect of rules": {
		Options: wrong.Misevicts(func(e *fakecluster.Eviction) {
			for i := range e.ByRules {
				e.ByRules[i].Effect = resourceapi.DeviceTaintEffectNoSchedule
			}
		}), Spec: "taint-rule-changed-evicts-pods",
		Want: []string{"pod selected should be evicted, because the effect of the device taint rule is NoExecute now"},
	},
	"controller keeps what a rule selected first": {
		Options: wrong.With(fakecluster.ControllerMistakes{
			MisreadsEvictingRules: keepRules(func(r, first *resourceapi.DeviceTaintRuleSpec) { r.DeviceSelector = first.DeviceSelector }),
		}), Spec: "taint-rule-changed-evicts-pods",
		Want: []string{"pod other should be evicted, because the device taint rule selects its pool now"},
	},
	"controller evicts all pods when a rule changes": {
		Options: wrong.Misevicts(func(e *fakecluster.Eviction) { e.Result.Tolerations = nil }), Spec: "taint-rule-changed-evicts-pods",
		Want: []string{"pod tolerant", "its claim tolerates the taint of the rule"},
	},
}

func misreadsRules(change func(*resourceapi.DeviceTaintRule)) fakecluster.Options {
	return wrong.With(fakecluster.SchedulerMistakes{MisreadsRules: change})
}

// forgetRules makes the scheduler see no taints at all once a device has lost
// its last one.
func forgetRules() func(*fakecluster.Scene) {
	tainted, forget := map[string]bool{}, false
	return func(s *fakecluster.Scene) {
		wrong.ForEachDevice(s, func(slice *resourceapi.ResourceSliceSpec, d *resourceapi.Device) {
			if !strings.HasSuffix(slice.Driver, ".draconform.dev") {
				return
			}
			id := slice.Pool.Name + "/" + d.Name
			forget = forget || tainted[id] && len(d.Taints) == 0
			tainted[id] = len(d.Taints) > 0
		})
		if forget {
			wrong.ForEachDevice(s, func(_ *resourceapi.ResourceSliceSpec, d *resourceapi.Device) { d.Taints = nil })
		}
	}
}

// forgetRulesOfUpdated makes the scheduler see no taints of devices of slices that have another
// generation than the first one, for a pod.
func forgetRulesOfUpdated(pod string) func(*fakecluster.Scene) {
	return func(s *fakecluster.Scene) {
		wrong.ForEachDevice(s, func(slice *resourceapi.ResourceSliceSpec, d *resourceapi.Device) {
			if s.Pod.Name == pod && slice.Pool.Generation > 1 {
				d.Taints = nil
			}
		})
	}
}

// forgetTaints makes the scheduler see no taints of devices that have fewer than before.
func forgetTaints() func(*fakecluster.Scene) {
	most := map[string]int{}
	return func(s *fakecluster.Scene) {
		wrong.ForEachDevice(s, func(slice *resourceapi.ResourceSliceSpec, d *resourceapi.Device) {
			id := slice.Pool.Name + "/" + d.Name
			if most[id] = max(most[id], len(d.Taints)); len(d.Taints) < most[id] {
				d.Taints = nil
			}
		})
	}
}

// keepRules applies a change to rules that have changed, given their first version.
func keepRules(change func(now, first *resourceapi.DeviceTaintRuleSpec)) func(*resourceapi.DeviceTaintRule) {
	first := map[string]*resourceapi.DeviceTaintRuleSpec{}
	return func(r *resourceapi.DeviceTaintRule) {
		if first[r.Name] == nil {
			first[r.Name] = r.Spec.DeepCopy()
		}
		change(&r.Spec, first[r.Name])
	}
}

// forgetChanged makes the scheduler ignore a rule since it had the effect None.
func forgetChanged() func(*resourceapi.DeviceTaintRule) {
	ignored := map[string]bool{}
	return func(r *resourceapi.DeviceTaintRule) {
		ignored[r.Name] = ignored[r.Name] || r.Spec.Taint.Effect == resourceapi.DeviceTaintEffectNone
		if ignored[r.Name] {
			r.Spec.Taint.Effect = resourceapi.DeviceTaintEffectNone
		}
	}
}
