// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package selector_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

type quantities = map[resourceapi.QualifiedName]resource.Quantity

func requests(name resourceapi.QualifiedName, value string) quantities {
	return quantities{name: resource.MustParse(value)}
}

// sized returns a device with memory. Requests that do not name the memory consume all of it.
func sized(memory string) resourceapi.Device {
	return resourceapi.Device{Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"memory": {Value: resource.MustParse(memory)}}}
}

func TestRequirementFits(t *testing.T) {
	for name, test := range map[string]struct {
		requests quantities
		device   resourceapi.Device
		want     string
		used     string
	}{
		"less than the device has": {requests("memory", "1Gi"), sized("2Gi"), "yes", "1Gi"},
		"all of the device":        {requests("memory", "2Gi"), sized("2Gi"), "yes", "2Gi"},
		"more than the device has": {requests("memory", "3Gi"), sized("2Gi"), "no", ""},
		"a missing capacity":       {requests("cores", "1"), sized("2Gi"), "no", ""},
		"nothing":                  {nil, sized("4Gi"), "yes", "4Gi"},
		"of a negative size":       {requests("memory", "-1"), sized("2Gi"), "error", ""},
		"nothing, no capacity":     {nil, resourceapi.Device{}, "yes", ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r := newMemo(false).Requirement(test.requests, false)
			g.Expect(r.HasRequests()).To(Equal(len(test.requests) > 0))
			devices := slice(t, driver, test.device)
			for range 2 { // The second result is cached.
				g.Expect(answer(r.Fits(devices, 0))).To(Equal(test.want))
			}
			switch {
			case test.want != "yes":
			case len(test.device.Capacity) == 0:
				g.Expect(r.Use(devices, 0)).To(BeNil())
			default:
				used := r.Use(devices, 0).Consumed["memory"]
				g.Expect(used.String()).To(Equal(test.used))
				g.Expect(r.Use(devices, 0).Amounts).To(HaveLen(len(test.device.Capacity)))
			}
		})
	}
}

// A quantity beyond 64 bits is a pointer, which results must not share.
func TestCopiesOfUsesShareNoMemory(t *testing.T) {
	for _, size := range []string{"1Gi", "100000000000000000000000"} {
		g := NewWithT(t)
		r := newMemo(false).Requirement(nil, false)
		devices := slice(t, driver, sized(size))
		g.Expect(r.Fits(devices, 0)).To(BeTrue())
		copied := r.Use(devices, 0).Copy()["memory"]
		copied.AsDec().SetUnscaled(1)
		used := r.Use(devices, 0).Consumed["memory"]
		g.Expect(used.Cmp(resource.MustParse(size))).To(BeZero(), size)
	}
}

// Equal requests share results. The format of an amount matters, because it is part of allocation results.
func TestEqualRequirementsAreShared(t *testing.T) {
	for name, test := range map[string]struct {
		a, b             quantities
		fractionA, fracB bool
		want             bool
	}{
		"the same":                           {requests("memory", "1Gi"), requests("memory", "1Gi"), false, false, true},
		"another amount":                     {requests("memory", "1Gi"), requests("memory", "2Gi"), false, false, false},
		"another name":                       {requests("memory", "1Gi"), requests("cores", "1Gi"), false, false, false},
		"another format":                     {requests("memory", "1Ki"), requests("memory", "1024"), false, false, false},
		"another format that looks the same": {requests("memory", "500"), quantities{"memory": *resource.NewQuantity(500, resource.BinarySI)}, false, false, false},
		"fractional ranges":                  {requests("memory", "1Gi"), requests("memory", "1Gi"), true, false, false},
		"nothing":                            {nil, quantities{}, false, false, true},
		"nothing, with fractional ranges":    {nil, nil, true, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMemo(false)
			same := m.Requirement(test.a, test.fractionA) == m.Requirement(test.b, test.fracB)
			NewWithT(t).Expect(same).To(Equal(test.want))
		})
	}
}
