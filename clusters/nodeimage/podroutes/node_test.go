// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

// fakeRoutes records its calls.
type fakeRoutes struct {
	replaced   []string
	kept       []string
	replaceErr error
	pruneErr   error
}

func (f *fakeRoutes) replace(to *net.IPNet, via net.IP) error {
	f.replaced = append(f.replaced, to.String()+" via "+via.String())
	return f.replaceErr
}

func (f *fakeRoutes) prune(keep []*net.IPNet) error {
	f.kept = nil
	for _, k := range keep {
		f.kept = append(f.kept, k.String())
	}
	return f.pruneErr
}

// nodeWith returns a node with a pod CIDR and internal addresses.
func nodeWith(name, podCIDR string, addresses ...string) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{PodCIDR: podCIDR}}
	n.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeHostName, Address: name}, {Type: corev1.NodeExternalIP, Address: "203.0.113.9"}}
	for _, a := range addresses {
		n.Status.Addresses = append(n.Status.Addresses, corev1.NodeAddress{Type: corev1.NodeInternalIP, Address: a})
	}
	return n
}

// newNode returns the daemon of node "self" in a cluster of these nodes.
func newNode(t *testing.T, nodes ...*corev1.Node) (*node, *fakeRoutes) {
	t.Helper()
	known := cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)
	for _, n := range nodes {
		NewWithT(t).Expect(known.Add(n)).To(Succeed())
	}
	routes := &fakeRoutes{}
	return &node{name: "self", lister: corelisters.NewNodeLister(known), cniDir: t.TempDir(), routes: routes}, routes
}

const conflistName = "10-podroutes.conflist"

// subnet returns the subnet in the CNI configuration, which must be the only
// file in the folder.
func subnet(t *testing.T, n *node) string {
	t.Helper()
	g := NewWithT(t)
	entries, err := os.ReadDir(n.cniDir)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(entries).To(ConsistOf(HaveField("Name()", conflistName)), "no temporary files are left")
	content, err := os.ReadFile(filepath.Join(n.cniDir, conflistName))
	g.Expect(err).NotTo(HaveOccurred())
	var config struct {
		CNIVersion, Name string
		Plugins          []struct {
			Type string
			IPAM struct{ Ranges [][]struct{ Subnet string } }
		}
	}
	g.Expect(json.Unmarshal(content, &config)).To(Succeed())
	g.Expect(config.Plugins).To(HaveLen(2))
	return config.Plugins[0].IPAM.Ranges[0][0].Subnet
}

func TestSyncConnectsTheNodeWithTheOthers(t *testing.T) {
	g := NewWithT(t)
	n, routes := newNode(t, nodeWith("self", "10.244.0.0/24", "172.18.0.2"),
		nodeWith("a", "10.244.1.0/24", "172.18.0.3"), nodeWith("b", "10.244.2.0/24", "fc00::4", "172.18.0.4"))
	g.Expect(n.sync()).To(Succeed())
	g.Expect(subnet(t, n)).To(Equal("10.244.0.0/24"))
	g.Expect(routes.replaced).To(ConsistOf("10.244.1.0/24 via 172.18.0.3", "10.244.2.0/24 via 172.18.0.4"))
	g.Expect(routes.kept).To(ConsistOf("10.244.1.0/24", "10.244.2.0/24"))
}

func TestSyncWritesTheConfigurationOnlyWhenItChanges(t *testing.T) {
	g := NewWithT(t)
	self := nodeWith("self", "10.244.0.0/24")
	n, _ := newNode(t, self)
	written := func() os.FileInfo {
		g.Expect(n.sync()).To(Succeed())
		info, err := os.Stat(filepath.Join(n.cniDir, conflistName))
		g.Expect(err).NotTo(HaveOccurred())
		return info
	}
	first := written()
	g.Expect(os.SameFile(first, written())).To(BeTrue(), "the runtime reads it again whenever it is replaced")
	self.Spec.PodCIDR = "10.244.9.0/24"
	g.Expect(os.SameFile(first, written())).To(BeFalse(), "a new file is renamed into place")
	g.Expect(subnet(t, n)).To(Equal("10.244.9.0/24"))
	g.Expect(os.WriteFile(filepath.Join(n.cniDir, conflistName), []byte("broken"), 0o600)).To(Succeed())
	written()
	g.Expect(subnet(t, n)).To(Equal("10.244.9.0/24"), "a changed file is written again")
}

func TestSyncRemovesTheRouteOfARemovedNode(t *testing.T) {
	g := NewWithT(t)
	a, b := nodeWith("a", "10.244.1.0/24", "172.18.0.3"), nodeWith("b", "10.244.2.0/24", "172.18.0.4")
	n, routes := newNode(t, a, b)
	g.Expect(n.sync()).To(Succeed())
	g.Expect(routes.kept).To(HaveLen(2))
	alone, _ := newNode(t, b)
	n.lister = alone.lister
	g.Expect(n.sync()).To(Succeed())
	g.Expect(routes.kept).To(ConsistOf("10.244.2.0/24"))
}

func TestSyncWaitsForMissingAddresses(t *testing.T) {
	for name, other := range map[string]*corev1.Node{
		"a pod CIDR":                nodeWith("a", "", "172.18.0.3"),
		"any address":               nodeWith("a", "10.244.1.0/24"),
		"an IPv4 address":           nodeWith("a", "10.244.1.0/24", "fc00::3"),
		"an address that is a name": nodeWith("a", "10.244.1.0/24", "a.example.com"),
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			n, routes := newNode(t, other, nodeWith("self", ""), nodeWith("b", "10.244.2.0/24", "172.18.0.4"))
			g.Expect(n.sync()).To(Succeed())
			g.Expect(routes.replaced).To(ConsistOf("10.244.2.0/24 via 172.18.0.4"))
			g.Expect(os.ReadDir(n.cniDir)).To(BeEmpty())
		})
	}
}

func TestSyncContinuesAfterAnError(t *testing.T) {
	others := func() []*corev1.Node {
		return []*corev1.Node{nodeWith("self", "10.244.0.0/24"), nodeWith("b", "10.244.2.0/24", "172.18.0.4")}
	}
	t.Run("of a pod CIDR", func(t *testing.T) {
		g := NewWithT(t)
		n, routes := newNode(t, append(others(), nodeWith("a", "10.244.1.0", "172.18.0.3"))...)
		g.Expect(n.sync()).To(MatchError("node a: pod CIDR: invalid CIDR address: 10.244.1.0"))
		g.Expect(subnet(t, n)).To(Equal("10.244.0.0/24"))
		g.Expect(routes.kept).To(ConsistOf("10.244.2.0/24"))
	})
	t.Run("of the routes", func(t *testing.T) {
		g := NewWithT(t)
		n, routes := newNode(t, others()...)
		routes.replaceErr, routes.pruneErr = errors.New("no such device"), errors.New("not permitted")
		g.Expect(n.sync()).To(MatchError("route to the pods of node b: no such device\nnot permitted"))
		g.Expect(subnet(t, n)).To(Equal("10.244.0.0/24"))
		g.Expect(routes.kept).To(ConsistOf("10.244.2.0/24"), "the existing route may still work")
	})
	t.Run("of the folder", func(t *testing.T) {
		g := NewWithT(t)
		n, routes := newNode(t, others()...)
		n.cniDir = "/nonexistent"
		g.Expect(n.sync()).To(MatchError(And(HavePrefix("write the CNI configuration: "), HaveSuffix("no such file or directory"))))
		g.Expect(routes.replaced).To(HaveLen(1))
	})
}
