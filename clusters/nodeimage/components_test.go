// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/internal/fake"
)

func TestGetComponentsExtractsAnImageOnce(t *testing.T) {
	g := NewWithT(t)
	e, f := fake.Docker(t, engine.Find,
		fake.Answer{Args: inspect, Stdout: "sha256:1\n"}, fake.Answer{Args: "create --pull=never --network=none --label draconform.dev/run=r1", Stdout: "c1\n"},
		fake.Answer{Args: "start --attach c1"}, fake.Answer{Args: "cp c1:/parts/. "}, fake.Answer{Args: "rm --force --volumes c1"})
	o := Options{Engine: e, Release: clusters.Newest(), CacheDir: t.TempDir()}
	components, err := GetComponents(t.Context(), o, "r1")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(components.Kubelet()).To(HavePrefix(o.CacheDir + "/parts-"))
	g.Expect(components.Archive("kube-proxy")).To(HaveSuffix("/kube-proxy.tar"))
	g.Expect(f.Lines()).To(ContainElement(HaveSuffix("sh v" + clusters.Newest().Version + " kube-apiserver kube-controller-manager kube-proxy kube-scheduler")))
	g.Expect(f.Lines()).To(ContainElement("docker rm --force --volumes c1"))
	f.Forget()
	again, err := GetComponents(t.Context(), o, "r2")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(again).To(Equal(components))
	g.Expect(f.Lines()).To(HaveEach(HavePrefix("docker image inspect")))
}

// No container is left in the engine, and no incomplete artifact is used from the
// cache.
func TestGetComponentsRemovesTheContainerOnFailure(t *testing.T) {
	g := NewWithT(t)
	e, f := fake.Docker(t, engine.Find,
		fake.Answer{Args: inspect, Stdout: "sha256:1\n"}, fake.Answer{Args: "create", Stdout: "c1\n"},
		fake.Answer{Args: "start", Exit: 1, Stderr: "containerd: no space left\n"}, fake.Answer{Args: "rm"})
	o := Options{Engine: e, Release: clusters.Newest(), CacheDir: t.TempDir()}
	for range 2 {
		_, err := GetComponents(t.Context(), o, "r1")
		g.Expect(err).To(MatchError(MatchRegexp("^components of node image kindest/node:v.*: containerd: no space left$")))
		g.Expect(f.Lines()).To(ContainElement("docker rm --force --volumes c1"))
	}
}

func TestFindOnlyInspectsImages(t *testing.T) {
	g := NewWithT(t)
	e, f := fake.Docker(t, engine.Find, absent()...)
	_, found, err := Find(t.Context(), Options{Engine: e, Release: clusters.Newest(), CacheDir: t.TempDir()})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found).To(BeFalse())
	g.Expect(f.Lines()).To(HaveEach(HavePrefix("docker image inspect")))
}
