// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package gates

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
)

func TestParseLists(t *testing.T) {
	for _, tc := range []struct {
		list, release string
		name          string
		gates         map[string]bool
		served        []string
	}{
		{list: "", release: "1.37", name: "default"},
		{list: " default , ", release: "1.37", name: "default"},
		{
			list: "DRAPrioritizedList=false,DRAConsumableCapacity=true", release: "1.35",
			name:  "DRAConsumableCapacity=true,DRAPrioritizedList=false",
			gates: map[string]bool{"DRAConsumableCapacity": true, "DRAPrioritizedList": false},
		},
		{
			list: "default,DRAConsumableCapacity=true", release: "1.37", name: "DRAConsumableCapacity=true",
			gates: map[string]bool{"DRAConsumableCapacity": true}, // it stays on in releases in which it is off by default
		},
		{
			list: "DRADeviceTaintRules=true", release: "1.35", name: "DRADeviceTaintRules=true",
			gates:  map[string]bool{"DRADeviceTaintRules": true, "DRADeviceTaints": true},
			served: []string{"resource.k8s.io/v1alpha3"},
		},
		{
			list: "DRAWorkloadResourceClaims=true", release: "1.37", name: "DRAWorkloadResourceClaims=true",
			gates:  map[string]bool{"DRAWorkloadResourceClaims": true, "GenericWorkload": true},
			served: []string{"scheduling.k8s.io/v1beta1"},
		},
		{
			list: "DRADeviceTaints=false", release: "1.37", name: "DRADeviceTaints=false",
			gates: map[string]bool{"DRADeviceTaints": false, "DRADeviceTaintRules": false},
		},
		{
			list: "DRAConsumableCapacity=false,DRAConsumableCapacity=0", release: "1.36", name: "DRAConsumableCapacity=false",
			gates: map[string]bool{"DRAConsumableCapacity": false},
		},
		{
			list: "off,DRADeviceBindingConditions=true", release: "1.35", name: "off,DRADeviceBindingConditions=true",
			gates: map[string]bool{
				"DRAAdminAccess": false, "DRAPrioritizedList": false, "DRASchedulerFilterTimeout": false,
				"DRADeviceBindingConditions": true,
			},
		},
		{
			list: "DynamicResourceAllocation=false", release: "1.34", name: "DynamicResourceAllocation=false",
			gates: map[string]bool{
				"DynamicResourceAllocation": false, "DRAAdminAccess": false, "DRAPrioritizedList": false,
				"DRASchedulerFilterTimeout": false,
			},
		},
	} {
		t.Run(tc.release+" "+tc.list, func(t *testing.T) {
			g := NewWithT(t)
			set, err := Parse(tc.list, release(t, tc.release))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(set.Name()).To(Equal(tc.name))
			if tc.gates == nil {
				tc.gates = map[string]bool{}
			}
			g.Expect(set.FeatureGates()).To(Equal(tc.gates))
			served := map[string]string{}
			for _, groupVersion := range tc.served {
				served[groupVersion] = "true"
			}
			g.Expect(set.RuntimeConfig()).To(Equal(served))
		})
	}
}

func TestListOverridesName(t *testing.T) {
	g := NewWithT(t)
	r := release(t, "1.37")
	whole, err := Parse("alpha", r)
	g.Expect(err).NotTo(HaveOccurred())
	set, err := Parse("alpha,DRAPartitionableDevices=false", r)
	g.Expect(err).NotTo(HaveOccurred())
	want := whole.FeatureGates()
	want["DRAPartitionableDevices"] = false
	delete(want, "DRADeviceCompatibilityGroups")
	delete(want, "DRAPartitionableDevicesType")
	g.Expect(set.FeatureGates()).To(Equal(want))
}

func TestParseReadsNames(t *testing.T) {
	forEachRelease(t, func(t *testing.T, r clusters.Release) {
		g := NewWithT(t)
		for _, list := range lists(r) {
			set, err := Parse(list, r)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(Parse(set.Name(), r)).To(Equal(set))
		}
	})
}

func TestParseErrors(t *testing.T) {
	const (
		known135 = "known are DRAAdminAccess, DRAConsumableCapacity, DRADeviceBindingConditions, DRADeviceTaintRules, " +
			"DRADeviceTaints, DRAExtendedResource, DRAPartitionableDevices, DRAPrioritizedList, " +
			"DRAResourceClaimDeviceStatus, DRASchedulerFilterTimeout, DynamicResourceAllocation, GenericWorkload, " +
			"NodeDeclaredFeatures, ResourceHealthStatus"
		shape = ` is neither Name=true nor Name=false, and default, alpha and off may only come first`
	)
	for _, tc := range []struct{ list, release, want string }{
		{"DRAFoo=true", "1.35", `"DRAFoo" is not known in Kubernetes 1.35; ` + known135},
		{"=true", "1.35", `"" is not known in Kubernetes 1.35; ` + known135},
		{"DRAListTypeAttributes=true", "1.35", `"DRAListTypeAttributes" is not known in Kubernetes 1.35, only in 1.36, 1.37; ` + known135},
		{"DRAAdminAccess", "1.37", `"DRAAdminAccess"` + shape},
		{"DRAAdminAccess=maybe", "1.37", `"DRAAdminAccess=maybe"` + shape},
		{"DRAConsumableCapacity=true,alpha", "1.37", `"alpha"` + shape},
		{"beta", "1.37", `"beta"` + shape},
		{"DRAAdminAccess=false", "1.37", "DRAAdminAccess=false is not possible, Kubernetes 1.37 locks it to true"},
		{
			"DRAConsumableCapacity=true,DRAConsumableCapacity=false", "1.37",
			"DRAConsumableCapacity is set to both true and false",
		},
		{
			"DRADeviceTaintRules=true,DynamicResourceAllocation=false", "1.34",
			`"DRADeviceTaintRules" is not known in Kubernetes 1.34, only in 1.35, 1.36, 1.37; `,
		},
		{
			"DRAPartitionableDevicesType=true,DRAResourcePoolStatus=false", "1.37",
			"DRAPartitionableDevicesType=true contradicts DRAResourcePoolStatus=false, which it needs",
		},
		{
			"DRADeviceTaints=true,DynamicResourceAllocation=false", "1.34",
			"DRADeviceTaints=true contradicts DynamicResourceAllocation=false, which it needs",
		},
		{
			"NodeDeclaredFeatures=false", "1.36",
			"NodeDeclaredFeatures=false is not possible, only DRA gates can be disabled",
		},
	} {
		t.Run(tc.release+" "+tc.list, func(t *testing.T) {
			_, err := Parse(tc.list, release(t, tc.release))
			NewWithT(t).Expect(err).To(MatchError(HavePrefix("parse feature gates %q: %s", tc.list, tc.want)))
		})
	}
}

func TestParseRejectsAnUnsupportedRelease(t *testing.T) {
	_, err := Parse("default", clusters.Release{Minor: "1.12", Version: "1.12.0"})
	NewWithT(t).Expect(err).To(MatchError(`parse feature gates "default": Kubernetes "1.12" is not supported`))
}
