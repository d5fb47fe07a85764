// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin_test

import (
	"context"
	"fmt"
	"slices"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/ktesting"
)

// variants are the allocator implementations of Kubernetes 1.37 that validate
// pools, by the features that select them: the features that are enabled by
// default, and all features.
var variants = map[string]structured.Features{
	"incubating": {
		AdminAccess: true, ConsumableCapacity: true, DeviceBindingAndStatus: true, DeviceTaints: true,
		PartitionableDevices: true, PrioritizedList: true,
	},
	"experimental": {
		AdminAccess: true, CompatibilityGroups: true, ConsumableCapacity: true, DerivedAttributes: true,
		DeviceBindingAndStatus: true, DeviceTaints: true, FractionalCapacityRange: true, ListTypeAttributes: true,
		OptionalNodeOperations: true, PartitionableDevices: true, PrioritizedList: true,
	},
}

// celCache has the features of the newest variant. The library caches a
// compiler only until one with other features is requested.
var celCache = cel.NewCache(100, cel.Features{EnableConsumableCapacity: true, EnableListTypeAttributes: true})

// class is a DeviceClass without selectors.
type class struct{ resourceapi.DeviceClass }

func (c class) List() ([]*resourceapi.DeviceClass, error) {
	return []*resourceapi.DeviceClass{&c.DeviceClass}, nil
}
func (c class) Get(string) (*resourceapi.DeviceClass, error) { return &c.DeviceClass, nil }

// verdict is the result of the allocator for some slices.
type verdict struct {
	// pools are the pools of the node, by driver/pool: "valid", "incomplete" or
	// "invalid: <reason>".
	pools map[string]string
	// devices are the allocated devices, as driver/device.
	devices []string
	err     error
}

// allocate runs the allocator for a number of devices that match a CEL
// expression.
func allocate(ctx context.Context, g Gomega, features structured.Features, stored []resourceapi.ResourceSlice, count int64, expression string) verdict {
	var pointers []*resourceapi.ResourceSlice
	for i := range stored {
		pointers = append(pointers, &stored[i])
	}
	state := structured.AllocatedState{
		AllocatedDevices:         sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity:       structured.NewConsumedCapacityCollection(),
	}
	allocator, err := structured.NewAllocator(ctx, features, state, class{}, pointers, celCache)
	g.Expect(err).NotTo(HaveOccurred())

	// The allocator reports the reason why a pool is invalid only in its log.
	logger := ktesting.NewLogger(ktesting.NopTL{}, ktesting.NewConfig(ktesting.Verbosity(6), ktesting.BufferLogs(true)))
	results, err := allocator.Allocate(klog.NewContext(ctx, logger), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node}}, []*resourceapi.ResourceClaim{{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "claim", UID: "claim"},
		Spec: resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{Requests: []resourceapi.DeviceRequest{{
			Name: "devices",
			Exactly: &resourceapi.ExactDeviceRequest{
				DeviceClassName: "class", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: count,
				Selectors: []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: expression}}},
			},
		}}}},
	}})
	out := verdict{pools: poolsIn(g, logger), err: err}
	for _, result := range results {
		for _, device := range result.Devices.Results {
			out.devices = append(out.devices, device.Driver+"/"+device.Device)
		}
	}
	return out
}

// poolsIn extracts the states of the pools from the log of the allocator.
func poolsIn(g Gomega, logger klog.Logger) map[string]string {
	log := logger.GetSink().(ktesting.Underlier).GetBuffer().Data()
	at := slices.IndexFunc(log, func(entry ktesting.LogEntry) bool { return entry.Message == "Gathered pool information" })
	g.Expect(at).NotTo(Equal(-1), "the allocator must log which pools there are")
	logged := log[at].ParameterKVList[1].(interface{ MarshalLog() any }).MarshalLog().(map[string]any)
	pools := map[string]string{}
	for _, pool := range logged["meta"].([]map[string]any) {
		state := "valid"
		switch {
		case pool["isInvalid"].(bool):
			state = fmt.Sprint("invalid: ", pool["InvalidReason"])
		case pool["isIncomplete"].(bool):
			state = "incomplete"
		}
		pools[pool["id"].(string)] = state
	}
	return pools
}
