package selector_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

type quantities = map[resourceapi.QualifiedName]resource.Quantity

func asks(name resourceapi.QualifiedName, value string) quantities {
	return quantities{name: resource.MustParse(value)}
}

// sized returns a device with memory. Requests that do not name the memory consume all of it.
func sized(memory string) resourceapi.Device {
	return resourceapi.Device{Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"memory": {Value: resource.MustParse(memory)}}}
}

func TestRequirementFitsADeviceOrNot(t *testing.T) {
	for name, test := range map[string]struct {
		requests quantities
		device   resourceapi.Device
		want     string
		used     string
	}{
		"less than there is":  {asks("memory", "1Gi"), sized("2Gi"), "yes", "1Gi"},
		"all there is":        {asks("memory", "2Gi"), sized("2Gi"), "yes", "2Gi"},
		"more than there is":  {asks("memory", "3Gi"), sized("2Gi"), "no", ""},
		"what there is not":   {asks("cores", "1"), sized("2Gi"), "no", ""},
		"nothing":             {nil, sized("4Gi"), "yes", "4Gi"},
		"of a negative size":  {asks("memory", "-1"), sized("2Gi"), "error", ""},
		"nothing, of nothing": {nil, resourceapi.Device{}, "yes", ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r := newMemo(false).Requirement(test.requests, false)
			g.Expect(r.Asks()).To(Equal(len(test.requests) > 0))
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

// Equal requests share results. The format of an amount matters, because it is part of allocation results.
func TestEqualRequirementsAreOne(t *testing.T) {
	for name, test := range map[string]struct {
		a, b             quantities
		fractionA, fracB bool
		want             bool
	}{
		"the same":                           {asks("memory", "1Gi"), asks("memory", "1Gi"), false, false, true},
		"another amount":                     {asks("memory", "1Gi"), asks("memory", "2Gi"), false, false, false},
		"another name":                       {asks("memory", "1Gi"), asks("cores", "1Gi"), false, false, false},
		"another format":                     {asks("memory", "1Ki"), asks("memory", "1024"), false, false, false},
		"another format that looks the same": {asks("memory", "500"), quantities{"memory": *resource.NewQuantity(500, resource.BinarySI)}, false, false, false},
		"fractional ranges":                  {asks("memory", "1Gi"), asks("memory", "1Gi"), true, false, false},
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
