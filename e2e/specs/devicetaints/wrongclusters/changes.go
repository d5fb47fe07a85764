// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"slices"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongChanges are clusters whose kube-controller-manager makes mistakes with taints that
// change under pods.
var wrongChanges = wrong.Table{
	"taints are compared by key only when they change": {
		Options: wrong.Misevicts(keepTaintsByKey()), Spec: "taint-changed-evicts-pods",
		Want: []string{"should be evicted, because"},
	},
	"new taints of tainted devices are ignored": {
		Options: wrong.Misevicts(func(e *fakecluster.Eviction) { e.Published = e.Published[:min(1, len(e.Published))] }), Spec: "taint-changed-evicts-pods",
		Want: []string{"pod tolerated-taint-is-joined should be evicted, because its claim tolerates the first taint only"},
	},
	"former taints count": {
		Options: wrong.Misevicts(rememberTaints()), Spec: "taint-withdrawn-cancels-eviction",
		Want: []string{"should stay, because the taints of their devices were removed, or replaced by tolerated ones, before they had to be evicted"},
	},
	"former rules count": {
		Options: wrong.Misevicts(rememberTaints()), Spec: "taint-rule-tells-evictions",
		Want: []string{"pods spared, eased should stay, because the device taint rule for their device was deleted, or got the effect NoSchedule, before they had to be evicted", "pod spared is deleted"},
	},
	"rules that have got the effect NoSchedule evict": {
		Options: wrong.With(fakecluster.ControllerMistakes{MisreadsEvictingRules: keepEvicting()}), Spec: "taint-rule-tells-evictions",
		Want: []string{"pods spared, eased should stay, because the device taint rule for their device was deleted, or got the effect NoSchedule, before they had to be evicted", "pod eased is deleted"},
	},
	"the first ResourceSlice with a device counts": {
		Options: wrong.With(fakecluster.ControllerMistakes{ReadsOldGenerations: true}), Spec: "taint-of-newest-generation-evicts",
		Want: []string{"pod card should be evicted, because its device has a taint of the effect NoExecute in the newest generation of the pool"},
	},
	"controller knows one ResourceSlice of a pool": {
		Options: wrong.Misevicts(func(e *fakecluster.Eviction) {
			if e.Result.Device == "fan" {
				e.Published = nil
			}
		}),
		Spec: "taint-of-newest-generation-evicts",
		Want: []string{"pod fan should be evicted, because its device has a taint of the effect NoExecute in the newest generation of the pool"},
	},
	"the taints of all generations count": {
		Options: wrong.With(fakecluster.ControllerMistakes{AddsOldGenerations: true}), Spec: "taint-of-newest-generation-evicts",
		Want: []string{"pod disk should stay, because its device has a taint only in an older generation of the pool"},
	},
}

// idOf identifies an allocated device, in the tests of one cluster.
func idOf(e *fakecluster.Eviction) string { return e.Result.Pool + "/" + e.Result.Device }

// keepTaintsByKey makes the controller see a taint as it was when the device got one with
// this key.
func keepTaintsByKey() func(*fakecluster.Eviction) {
	known := map[string]resourceapi.DeviceTaint{}
	return func(e *fakecluster.Eviction) {
		for i, taint := range e.Published {
			id := idOf(e) + "/" + taint.Key
			if before, ok := known[id]; ok {
				e.Published[i] = before
			}
			known[id] = e.Published[i]
		}
	}
}

// rememberTaints makes the controller see all taints that a device has had while it was
// allocated.
func rememberTaints() func(*fakecluster.Eviction) {
	known := map[string][]resourceapi.DeviceTaint{}
	return func(e *fakecluster.Eviction) {
		id := idOf(e)
		for _, taint := range slices.Concat(e.Published, e.ByRules) {
			if !slices.ContainsFunc(known[id], func(k resourceapi.DeviceTaint) bool { return k.Key == taint.Key && k.Effect == taint.Effect }) {
				known[id] = append(known[id], taint)
			}
		}
		e.Published = append(e.Published, known[id]...)
	}
}

// keepEvicting makes the controller see a rule of the effect NoSchedule with its last taint of the
// effect NoExecute, if it has had one.
func keepEvicting() func(*resourceapi.DeviceTaintRule) {
	known := map[string]resourceapi.DeviceTaint{}
	return func(rule *resourceapi.DeviceTaintRule) {
		before, evicted := known[rule.Name]
		switch {
		case rule.Spec.Taint.Effect == resourceapi.DeviceTaintEffectNoExecute:
			known[rule.Name] = rule.Spec.Taint
		case rule.Spec.Taint.Effect == resourceapi.DeviceTaintEffectNoSchedule && evicted:
			rule.Spec.Taint = before
		}
	}
}

// untilLast makes the controller see only the taint that a claim tolerates for the longest
// time, of those that it does not tolerate for ever.
func untilLast(e *fakecluster.Eviction) {
	longest := int64(-1)
	last := map[string]bool{}
	for _, t := range e.Result.Tolerations {
		if t.TolerationSeconds != nil && *t.TolerationSeconds > longest {
			longest, last = *t.TolerationSeconds, map[string]bool{t.Key: true}
		}
	}
	if longest > 0 {
		e.Published = slices.DeleteFunc(e.Published, func(t resourceapi.DeviceTaint) bool { return !last[t.Key] })
	}
}
