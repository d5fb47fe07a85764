// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/runtime"
)

func opaque(driver, parameters string) resourceapi.DeviceConfiguration {
	return resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{Driver: driver, Parameters: runtime.RawExtension{Raw: []byte(parameters)}}}
}

// Parameters of the claim are added to those of the class, and those for other drivers
// are ignored.
func TestRequestsAddParametersOfClaimsToThoseOfClasses(t *testing.T) {
	g := NewWithT(t)
	classes := map[string]*resourceapi.DeviceClass{"class": {Spec: resourceapi.DeviceClassSpec{Config: []resourceapi.DeviceClassConfiguration{
		{DeviceConfiguration: opaque("drv.example.com", `{"nodes": ["n1"]}`)},
		{DeviceConfiguration: opaque("other.example.com", `{"nodes": []}`)},
	}}}}
	claim := &resourceapi.ResourceClaim{Spec: resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{
		Requests: []resourceapi.DeviceRequest{{Name: "r", DeviceClassName: "class", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 2}},
		Config:   []resourceapi.DeviceClaimConfiguration{{DeviceConfiguration: opaque("drv.example.com", `{"optional": true}`)}},
	}}}
	r, err := readRequest("drv.example.com", claim, classes)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.names).To(Equal([]string{"r", "r"}))
	g.Expect(r.Optional).To(BeTrue())
	g.Expect(r.config).To(HaveLen(2))
	g.Expect(r.Allows("n1")).To(Succeed())
	g.Expect(r.Allows("n2")).To(MatchError(`the parameters exclude node "n2": they allow [n1]`))

	claim.Spec.Devices.Requests[0].AllocationMode = resourceapi.DeviceAllocationModeAll
	_, err = readRequest("drv.example.com", claim, classes)
	g.Expect(err).To(MatchError("request r: allocation mode All is not supported"))
}
