// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package node_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1alpha3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1alpha4"
	"tags.cncf.io/container-device-interface/pkg/cdi"

	"github.com/draconform/draconform/fakedriver/classic/containers"
	"github.com/draconform/draconform/fakedriver/classic/node"
)

const driver = "drv.example.com"

// newPlugin returns a plugin with a new CDI directory.
func newPlugin(t *testing.T, claims ...runtime.Object) (*node.Plugin, string) {
	t.Helper()
	dir := t.TempDir()
	specs, err := containers.NewSpecs(dir, driver)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return &node.Plugin{Driver: driver, Client: fake.NewSimpleClientset(claims...), Specs: specs}, dir
}

// claim returns a claim with devices of drivers.
func claim(name string, drivers ...string) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID("uid-" + name)}}
	c.Status.Allocation = &resourceapi.AllocationResult{Controller: driver}
	for _, of := range drivers {
		c.Status.Allocation.Devices.Results = append(c.Status.Allocation.Devices.Results, resourceapi.DeviceRequestAllocationResult{
			Request: "r", Driver: of, Pool: "n1", Device: "device-0",
		})
	}
	return c
}

func prepare(t *testing.T, p *node.Plugin, claims ...*drapb.Claim) map[string]*drapb.NodePrepareResourceResponse {
	t.Helper()
	response, err := p.NodePrepareResources(t.Context(), &drapb.NodePrepareResourcesRequest{Claims: claims})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return response.Claims
}

func request(name string) *drapb.Claim {
	return &drapb.Claim{Namespace: "default", Name: name, UID: "uid-" + name}
}

// A container with the CDI devices of a claim sees the devices of this driver, with the
// parameters for them, and those of no other driver.
func TestContainersSeeTheirDevices(t *testing.T) {
	g := NewWithT(t)
	c := claim("claim", "other.example.com", driver)
	opaque := func(of string, requests ...string) resourceapi.DeviceAllocationConfiguration {
		return resourceapi.DeviceAllocationConfiguration{Source: resourceapi.AllocationConfigSourceClaim, Requests: requests, DeviceConfiguration: resourceapi.DeviceConfiguration{
			Opaque: &resourceapi.OpaqueDeviceConfiguration{Driver: of, Parameters: runtime.RawExtension{Raw: []byte(`{"of":"` + of + `"}`)}},
		}}
	}
	c.Status.Allocation.Devices.Config = []resourceapi.DeviceAllocationConfiguration{opaque(driver), opaque("other.example.com"), opaque(driver, "another")}
	p, dir := newPlugin(t, c)
	answer := prepare(t, p, request("claim"))["uid-claim"]
	g.Expect(answer.Error).To(BeEmpty())
	g.Expect(answer.Devices).To(HaveLen(1))
	g.Expect(answer.Devices[0].RequestNames).To(Equal([]string{"r"}))

	cache, err := cdi.NewCache(cdi.WithSpecDirs(dir), cdi.WithAutoRefresh(false))
	g.Expect(err).NotTo(HaveOccurred())
	device := cache.GetDevice(answer.Devices[0].CDIDeviceIDs[0])
	g.Expect(device).NotTo(BeNil(), "the container runtime should find the CDI device")
	g.Expect(device.ContainerEdits.Env).To(HaveLen(1))
	name, value, _ := strings.Cut(device.ContainerEdits.Env[0], "=")
	g.Expect(name).To(MatchRegexp("^DRACONFORM_DEVICE_[A-Z0-9_]+$"))
	var shown containers.Device
	g.Expect(json.Unmarshal([]byte(value), &shown)).To(Succeed())
	g.Expect(shown).To(Equal(containers.Device{
		Driver: driver, Pool: "n1", Device: "device-0", Request: "r", ClaimNamespace: "default", ClaimName: "claim", ClaimUID: "uid-claim",
		Configs: []containers.Config{{Source: "FromClaim", Parameters: json.RawMessage(`{"of":"drv.example.com"}`)}},
	}))
}

// A claim that cannot be prepared has an error and does not affect others.
func TestEachClaimHasItsAnswer(t *testing.T) {
	g := NewWithT(t)
	pending := claim("pending")
	pending.Status.Allocation = nil
	replaced := claim("replaced", driver)
	replaced.UID = "another"
	p, dir := newPlugin(t, claim("good", driver), pending, replaced, claim("optional"))
	answers := prepare(t, p, request("gone"), request("pending"), request("replaced"), request("good"), request("optional"))
	g.Expect(answers["uid-gone"].Error).To(ContainSubstring(`prepare claim default/gone: resourceclaims.resource.k8s.io "gone" not found`))
	g.Expect(answers["uid-pending"].Error).To(ContainSubstring("it is not allocated"))
	g.Expect(answers["uid-replaced"].Error).To(ContainSubstring("it was replaced by another one with the UID another"))
	g.Expect(answers["uid-good"].Error).To(BeEmpty())
	g.Expect(answers["uid-optional"].Error).To(BeEmpty(), "a claim may have no devices")
	g.Expect(files(g, dir)).To(HaveLen(1))
}

// Calls can be repeated, and another process continues.
func TestCallsCanBeRepeated(t *testing.T) {
	g := NewWithT(t)
	p, dir := newPlugin(t, claim("claim", driver))
	first := prepare(t, p, request("claim"))
	content := files(g, dir)
	next, err := containers.NewSpecs(dir, driver)
	g.Expect(err).NotTo(HaveOccurred())
	p.Specs = next
	g.Expect(prepare(t, p, request("claim"))).To(Equal(first))
	g.Expect(files(g, dir)).To(Equal(content))
	for range 2 {
		response, err := p.NodeUnprepareResources(t.Context(), &drapb.NodeUnprepareResourcesRequest{Claims: []*drapb.Claim{request("claim")}})
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(response.Claims).To(HaveKey("uid-claim"))
		g.Expect(response.Claims["uid-claim"].Error).To(BeEmpty())
		g.Expect(files(g, dir)).To(BeEmpty())
	}
}

// files returns the files of a directory with their content.
func files(g *WithT, dir string) map[string]string {
	entries, err := os.ReadDir(dir)
	g.Expect(err).NotTo(HaveOccurred())
	all := map[string]string{}
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		g.Expect(err).NotTo(HaveOccurred())
		all[entry.Name()] = string(content)
	}
	return all
}
