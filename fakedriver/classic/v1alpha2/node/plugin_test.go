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
	drapb "k8s.io/kubelet/pkg/apis/dra/v1alpha3"
	"tags.cncf.io/container-device-interface/pkg/cdi"

	"github.com/draconform/draconform/fakedriver/classic/containers"
	"github.com/draconform/draconform/fakedriver/classic/inventory"
	"github.com/draconform/draconform/fakedriver/classic/v1alpha2/handle"
	"github.com/draconform/draconform/fakedriver/classic/v1alpha2/node"
)

const driver = "drv.example.com"

// newPlugin returns a plugin with a new CDI directory.
func newPlugin(t *testing.T) (*node.Plugin, string) {
	t.Helper()
	dir := t.TempDir()
	specs, err := containers.NewSpecs(dir, driver)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return &node.Plugin{Driver: driver, Specs: specs}, dir
}

// claim returns a claim as the kubelet passes it on.
func claim(t *testing.T, name string, data handle.Data) *drapb.Claim {
	t.Helper()
	encoded, err := data.Encode()
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return &drapb.Claim{Namespace: "default", Name: name, Uid: "uid-" + name, ResourceHandle: encoded}
}

func prepare(t *testing.T, p *node.Plugin, claims ...*drapb.Claim) map[string]*drapb.NodePrepareResourceResponse {
	t.Helper()
	response, err := p.NodePrepareResources(t.Context(), &drapb.NodePrepareResourcesRequest{Claims: claims})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return response.Claims
}

var ofNode = []inventory.Device{{Pool: "n1", Name: "device-0"}}

// A container with the CDI devices of a claim sees the devices in the data of the claim,
// with the parameters.
func TestContainersSeeTheirDevices(t *testing.T) {
	g := NewWithT(t)
	p, dir := newPlugin(t)
	answer := prepare(t, p, claim(t, "claim", handle.Data{Devices: ofNode, Class: json.RawMessage(`{"of":"class"}`), Claim: json.RawMessage(`{"of":"claim"}`)}))["uid-claim"]
	g.Expect(answer.Error).To(BeEmpty())
	g.Expect(answer.CDIDevices).To(HaveLen(1))

	cache, err := cdi.NewCache(cdi.WithSpecDirs(dir), cdi.WithAutoRefresh(false))
	g.Expect(err).NotTo(HaveOccurred())
	device := cache.GetDevice(answer.CDIDevices[0])
	g.Expect(device).NotTo(BeNil(), "the container runtime should find the CDI device")
	g.Expect(device.ContainerEdits.Env).To(HaveLen(1))
	name, value, _ := strings.Cut(device.ContainerEdits.Env[0], "=")
	g.Expect(name).To(MatchRegexp("^DRACONFORM_DEVICE_[A-Z0-9_]+$"))
	var shown containers.Device
	g.Expect(json.Unmarshal([]byte(value), &shown)).To(Succeed())
	g.Expect(shown).To(Equal(containers.Device{
		Driver: driver, Pool: "n1", Device: "device-0", Request: "device", ClaimNamespace: "default", ClaimName: "claim", ClaimUID: "uid-claim",
		Configs: []containers.Config{{Source: "FromClass", Parameters: json.RawMessage(`{"of":"class"}`)}, {Source: "FromClaim", Parameters: json.RawMessage(`{"of":"claim"}`)}},
	}))
}

// A claim that cannot be prepared has an error and does not affect others.
func TestEachClaimHasItsAnswer(t *testing.T) {
	g := NewWithT(t)
	p, dir := newPlugin(t)
	answers := prepare(t, p, &drapb.Claim{Namespace: "default", Name: "empty", Uid: "uid-empty"}, claim(t, "good", handle.Data{Devices: ofNode}), claim(t, "optional", handle.Data{}))
	g.Expect(answers["uid-empty"].Error).To(ContainSubstring("prepare claim default/empty: read the data for the plugin: "))
	g.Expect(answers["uid-good"].Error).To(BeEmpty())
	g.Expect(answers["uid-optional"].Error).To(BeEmpty(), "a claim may have no devices")
	g.Expect(answers["uid-optional"].CDIDevices).To(BeEmpty())
	g.Expect(files(g, dir)).To(HaveLen(1))
}

// Calls can be repeated, and another process continues.
func TestCallsCanBeRepeated(t *testing.T) {
	g := NewWithT(t)
	p, dir := newPlugin(t)
	one := claim(t, "claim", handle.Data{Devices: ofNode})
	first := prepare(t, p, one)
	content := files(g, dir)
	next, err := containers.NewSpecs(dir, driver)
	g.Expect(err).NotTo(HaveOccurred())
	p.Specs = next
	g.Expect(prepare(t, p, one)).To(Equal(first))
	g.Expect(files(g, dir)).To(Equal(content))
	for range 2 {
		response, err := p.NodeUnprepareResources(t.Context(), &drapb.NodeUnprepareResourcesRequest{Claims: []*drapb.Claim{one}})
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
