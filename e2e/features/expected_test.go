// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package features_test

import (
	"maps"
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
)

func TestExpected(t *testing.T) {
	g := NewWithT(t)
	gates := map[string]bool{"DynamicResourceAllocation": true, "DRAPartitionableDevices": false, "DRAConsumableCapacity": true}
	bundled := features.Presence{Present: true, Source: "it is the bundled scheduler"}
	found := features.Expected(features.Known{Gates: gates, SharingAffinity: bundled, Served: []string{"resource.k8s.io/v1beta2"}}, features.Overrides{features.SharedDevices: false})
	g.Expect(features.All()).To(Equal(slices.Sorted(maps.Keys(found))))
	g.Expect(features.WorkloadClaimScheduling.Gate()).To(BeEmpty(), "only a scheduler has it")
	g.Expect(found).To(Equal(features.Set{
		features.ControlPlaneController:  {Source: "the release has no feature gate DRAControlPlaneController"},
		features.OptionalNodeOperations:  {Source: "the release has no feature gate DRAOptionalNodeOperations"},
		features.WorkloadClaims:          {Source: "the release has no feature gate DRAWorkloadResourceClaims"},
		features.WorkloadClaimScheduling: {Source: "the bundled scheduler does not support it"},
		features.ClassicAPI:              {Source: "only Kubernetes 1.31 has it"},
		features.ResourceClasses:         {Source: "only Kubernetes 1.30 has it"},
		features.Core:                    {Present: true, Source: "the feature gate DynamicResourceAllocation will be enabled"},
		features.Partitions:              {Source: "the feature gate DRAPartitionableDevices will be disabled"},
		features.DeviceTaints:            {Source: "the release has no feature gate DRADeviceTaints"},
		features.DeviceTaintRules:        {Source: "the release has no feature gate DRADeviceTaintRules"},
		features.AdminAccess:             {Source: "the release has no feature gate DRAAdminAccess"},
		features.ExtendedResources:       {Source: "the release has no feature gate DRAExtendedResource"},
		features.DeviceStatus:            {Source: "the release has no feature gate DRAResourceClaimDeviceStatus"},
		features.BindingConditions:       {Source: "the release has no feature gate DRADeviceBindingConditions"},
		features.StatusAuthorization:     {Source: "the release has no feature gate DRAResourceClaimGranularStatusAuthorization"},
		features.DeviceHealth:            {Source: "the release has no feature gate ResourceHealthStatus"},
		features.DeviceHealthMessage:     {Source: "the release has no feature gate ResourceHealthStatusMessage"},
		features.V1beta1:                 {Source: "the API server does not serve resource.k8s.io/v1beta1"},
		features.V1beta2:                 {Present: true, Source: "the API server serves resource.k8s.io/v1beta2"},
		features.PrioritizedList:         {Source: "the release has no feature gate DRAPrioritizedList"},
		features.SharedDevices:           {Overridden: true, Source: "declared absent by the caller; the feature gate DRAConsumableCapacity will be enabled"},
		features.SharingAffinity:         bundled,

		features.ListAttributes:      {Source: "the release has no feature gate DRAListTypeAttributes"},
		features.DerivedAttributes:   {Source: "the release has no feature gate DRADerivedAttributes"},
		features.CompatibilityGroups: {Source: "the release has no feature gate DRADeviceCompatibilityGroups"},
		features.FractionalRanges:    {Source: "the release has no feature gate DRAFractionalCapacityRange"},
		features.PartitionTypes:      {Source: "the release has no feature gate DRAPartitionableDevicesType"},
		features.NodeAllocatable:     {Source: "the release has no feature gate DRANodeAllocatableResources"},
		features.PoolStatus:          {Source: "the release has no feature gate DRAResourcePoolStatus"},

		features.NodeAllocatableScheduling: {Source: "the bundled scheduler does not support it"},
	}))
}

// Legacy releases have an earlier API, with or without control plane controllers.
func TestExpectedInLegacyReleases(t *testing.T) {
	g := NewWithT(t)
	gates := map[string]bool{"DynamicResourceAllocation": true, "DRAControlPlaneController": false, "ResourceHealthStatus": true}
	found := features.Expected(features.Known{Gates: gates, Server: "v1.31.4"}, nil)
	g.Expect(found.Names()).To(ConsistOf(features.ClassicAPI, features.NodeAllocatableScheduling, features.WorkloadClaimScheduling))
	g.Expect(found[features.Core].Source).To(Equal("Kubernetes 1.31 does not serve resource.k8s.io/v1"))
	gates["DRAControlPlaneController"] = true
	found = features.Expected(features.Known{Gates: gates, Server: "v1.31.4"}, nil)
	g.Expect(found[features.ControlPlaneController].Present).To(BeTrue())
	found = features.Expected(features.Known{Gates: gates, Server: "v1.30.4"}, nil)
	g.Expect(found[features.ClassicAPI].Present).To(BeFalse())
	g.Expect(found[features.ResourceClasses].Present).To(BeTrue())
}
