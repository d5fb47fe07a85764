// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongConditions are clusters whose DeviceTaintRules tell evictions incorrectly.
var wrongConditions = wrong.Table{
	"rules do not tell that pods have to be evicted": {
		Options: mistells(func(bool, bool) bool { return false }), Spec: "taint-rule-tells-evictions",
		Want: []string{"the condition EvictionInProgress of device taint rule noted should be True for its present spec, because its effect is NoExecute now"},
	},
	"rules tell evictions without pods": {
		Options: mistells(func(bool, bool) bool { return true }), Spec: "taint-rule-tells-evictions",
		Want: []string{"the condition EvictionInProgress of device taint rule noted should be False for its present spec, because its effect is None", "it is True"},
	},
	"rules tell evictions of the pods of their pool": {
		Options: mistellsEvictions(func(rule *resourceapi.DeviceTaintRule, condition *metav1.Condition) bool {
			if *rule.Spec.DeviceSelector.Device == "disk" {
				condition.Status = metav1.ConditionTrue
			}
			return true
		}), Spec: "taint-rule-tells-evictions",
		Want: []string{"the condition EvictionInProgress of device taint rule unused should not be true, because no pod uses a device that it selects"},
	},
	"rules do not tell that evictions have ended": {
		Options: mistells(func(evicting, told bool) bool { return evicting || told }), Spec: "taint-rule-tells-evictions",
		Want: []string{"the condition EvictionInProgress of device taint rule used should be true: false, because pod pod is evicted"},
	},
	"rules without effect tell nothing": {
		Options: mistellsEvictions(func(rule *resourceapi.DeviceTaintRule, _ *metav1.Condition) bool {
			return rule.Spec.Taint.Effect == resourceapi.DeviceTaintEffectNoExecute
		}), Spec: "taint-rule-tells-evictions",
		Want: []string{"the condition EvictionInProgress of device taint rule noted should be False for its present spec, because its effect is None", "there is no such condition"},
	},
	"rules do not tell which spec their condition is for": {
		Options: mistellsEvictions(func(_ *resourceapi.DeviceTaintRule, condition *metav1.Condition) bool {
			condition.ObservedGeneration = 1
			return true
		}), Spec: "taint-rule-tells-evictions",
		Want: []string{"the condition EvictionInProgress of device taint rule noted should be True", "it is for generation 1, and that of the rule is 2"},
	},
}

// mistellsEvictions returns the options of a cluster whose DeviceTaintRules get other
// conditions.
func mistellsEvictions(change func(*resourceapi.DeviceTaintRule, *metav1.Condition) bool) fakecluster.Options {
	return wrong.With(fakecluster.ControllerMistakes{MistellsEvictions: change})
}

// mistells returns the options of a cluster that changes whether a rule tells that pods
// have to be evicted. told is what it told before.
func mistells(change func(evicting, told bool) bool) fakecluster.Options {
	return mistellsEvictions(func(rule *resourceapi.DeviceTaintRule, condition *metav1.Condition) bool {
		tells := change(condition.Status == metav1.ConditionTrue, meta.IsStatusConditionTrue(rule.Status.Conditions, condition.Type))
		condition.Status = metav1.ConditionFalse
		if tells {
			condition.Status = metav1.ConditionTrue
		}
		return true
	})
}
