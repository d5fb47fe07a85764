// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/internal/rules"
)

var taintRulesOf = schema.GroupVersionResource{Group: "resource.k8s.io", Version: "v1", Resource: "devicetaintrules"}

// updateSlice imitates the API server for updates of ResourceSlices: it sets
// the time of new taints.
func (c *Cluster) updateSlice(action clienttesting.Action) (bool, runtime.Object, error) {
	if slice, ok := action.(clienttesting.UpdateAction).GetObject().(*resourceapi.ResourceSlice); ok {
		c.setTimes(slice)
	}
	return false, nil, nil
}

// updateRule imitates the API server for updates of DeviceTaintRules: it sets the
// time of a taint whose effect changes, unless its time changes, too, and counts
// changes of the spec.
func (c *Cluster) updateRule(action clienttesting.Action) (bool, runtime.Object, error) {
	rule, ok := action.(clienttesting.UpdateAction).GetObject().(*resourceapi.DeviceTaintRule)
	if !ok {
		return false, nil, nil
	}
	stored, err := c.tracker.Get(taintRulesOf, "", rule.Name)
	if err != nil {
		return true, nil, err
	}
	last := stored.(*resourceapi.DeviceTaintRule)
	before, taint := last.Spec.Taint, &rule.Spec.Taint
	rule.Generation = last.Generation
	if !equality.Semantic.DeepEqual(rule.Spec, last.Spec) {
		rule.Generation++
	}
	if taint.Effect != before.Effect && taint.TimeAdded.Equal(before.TimeAdded) {
		taint.TimeAdded = ptr.To(metav1.Now().Rfc3339Copy())
	}
	if c.Mistakes.MistimesRules != nil {
		c.Mistakes.MistimesRules(before, taint)
	}
	return false, nil, nil
}

// setTimes sets the time of taints that have none.
func (c *Cluster) setTimes(slice *resourceapi.ResourceSlice) {
	for i := range slice.Spec.Devices {
		for j := range slice.Spec.Devices[i].Taints {
			c.setTime(&slice.Spec.Devices[i].Taints[j])
		}
	}
}

func (c *Cluster) setTime(taint *resourceapi.DeviceTaint) {
	if taint.TimeAdded == nil && !c.Mistakes.LosesTaintTimes || taint.TimeAdded != nil && c.Mistakes.ResetsTaintTimes {
		taint.TimeAdded = ptr.To(metav1.Now().Rfc3339Copy())
	}
}

func (c *Cluster) taintRules() ([]*resourceapi.DeviceTaintRule, error) {
	return listOf[resourceapi.DeviceTaintRule](c, taintRulesOf, "DeviceTaintRule")
}

// addTaints adds the taints of DeviceTaintRules to the selected devices.
func addTaints(published []*resourceapi.ResourceSlice, all []*resourceapi.DeviceTaintRule) {
	for _, slice := range published {
		for i := range slice.Spec.Devices {
			device := &slice.Spec.Devices[i]
			device.Taints = append(device.Taints, taintsByRules(all, slice.Spec.Driver, slice.Spec.Pool.Name, device.Name)...)
		}
	}
}

// taintsByRules returns the taints that rules add to a device.
func taintsByRules(all []*resourceapi.DeviceTaintRule, driver, pool, device string) []resourceapi.DeviceTaint {
	var taints []resourceapi.DeviceTaint
	for _, rule := range all {
		if rules.TaintedBy(rule, driver, pool, device) {
			taints = append(taints, rule.Spec.Taint)
		}
	}
	return taints
}
