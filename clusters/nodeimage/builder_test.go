// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/internal/fake"
	"github.com/draconform/draconform/clusters/internal/oci"
)

func TestArtifactsHaveDistinctKeys(t *testing.T) {
	g := NewWithT(t)
	b := builderOf(t)
	keys := func(images kubeadmImages) map[string]string {
		compile, others, err := b.artifacts(kubernetesDir(t), images)
		g.Expect(err).NotTo(HaveOccurred())
		keys := map[string]string{}
		for _, s := range slices.Concat(compile, others) {
			g.Expect(keys).NotTo(HaveKey(s.name))
			keys[s.name] = s.key
		}
		return keys
	}
	before, after := keys(kubeadmImages{etcd: "3.7.0-0", coreDNS: "v1.14.6"}), keys(kubeadmImages{etcd: "3.7.1-0", coreDNS: "v1.14.6"})
	g.Expect(before).To(And(HaveLen(5), HaveKey("kubernetes"), HaveKey("etcd"), HaveKey("runtime"), HaveKey("base"), HaveKey("pause")))
	for name, key := range before {
		if name == "etcd" {
			g.Expect(after).NotTo(HaveKeyWithValue(name, key))
			continue
		}
		g.Expect(after).To(HaveKeyWithValue(name, key), "%s does not depend on etcd", name)
	}
}

func TestRuntimeIsTheSameForAllReleases(t *testing.T) {
	g := NewWithT(t)
	b := builderOf(t)
	keys := func() map[string]string {
		compile, others, err := b.artifacts(kubernetesDir(t), kubeadmImages{etcd: "3.7.0-0", coreDNS: "v1.14.6"})
		g.Expect(err).NotTo(HaveOccurred())
		keys := map[string]string{}
		for _, s := range slices.Concat(compile, others) {
			keys[s.name] = s.key
		}
		return keys
	}
	newest := keys()
	b.release = clusters.Releases()[1]
	older := keys()
	g.Expect(older["runtime"]).To(Equal(newest["runtime"]))
	g.Expect(older["base"]).To(Equal(newest["base"]))
	g.Expect(older["kubernetes"]).NotTo(Equal(newest["kubernetes"]))
}

func TestComponentImagesAreThoseOfKubeadmAndKind(t *testing.T) {
	g := NewWithT(t)
	b := builderOf(t)
	release := "v" + b.release.Version
	based := map[string]bool{}
	for _, c := range b.componentImages(nil, kubeadmImages{etcd: "3.7.0-0", coreDNS: "v1.14.6"}, nil) {
		based[c.Ref] = len(c.Base) > 0
	}
	g.Expect(based).To(Equal(map[string]bool{
		"registry.k8s.io/kube-apiserver:" + release:          false,
		"registry.k8s.io/kube-controller-manager:" + release: false,
		"registry.k8s.io/kube-scheduler:" + release:          false,
		"registry.k8s.io/kube-proxy:" + release:              true,
		"registry.k8s.io/etcd:3.7.0-0":                       false,
		"registry.k8s.io/coredns/coredns:v1.14.6":            false,
		"registry.k8s.io/pause:3.10":                         false,
		podroutesImage:                                       true,
	}), "true if the image has the network tools")
}

func TestComponentImagesOfAReleaseShareTheirProgram(t *testing.T) {
	g := NewWithT(t)
	b := builderOf(t)
	paths := map[string][]string{}
	for _, c := range b.componentImages(map[string]string{"kubernetes": "/k"}, kubeadmImages{etcd: "3.7.0-0", coreDNS: "v1.14.6"}, nil) {
		if c.Binary == "/k/kubernetes" {
			g.Expect(c.Paths).To(ContainElement(c.Path), "an image has its entry point")
			paths[c.Path] = c.Paths
		}
	}
	g.Expect(paths).To(HaveLen(4))
	for path, all := range paths {
		g.Expect(all).To(Equal(paths["/usr/local/bin/kube-proxy"]), "%s has the same layer", path)
	}
}

func TestImageHasTheLayersInOrder(t *testing.T) {
	g := NewWithT(t)
	b, dir := builderOf(t), t.TempDir()
	var want []string
	for _, name := range []string{"base.tar", "node.tar", "store.tar"} {
		path := filepath.Join(dir, name)
		g.Expect(oci.TarEntries(path, []oci.Entry{{Path: "/" + name, Mode: 0o644}})).To(Succeed())
		layer, err := oci.FileLayer(path)
		g.Expect(err).NotTo(HaveOccurred())
		digest, err := layer.DiffID()
		g.Expect(err).NotTo(HaveOccurred())
		want = append(want, digest.String())
	}
	img, err := b.image(dir)
	g.Expect(err).NotTo(HaveOccurred())
	file, err := img.ConfigFile()
	g.Expect(err).NotTo(HaveOccurred())
	var got []string
	for _, digest := range file.RootFS.DiffIDs {
		got = append(got, digest.String())
	}
	g.Expect(got).To(Equal(want))
	g.Expect(file.Config.Entrypoint).To(Equal([]string{"/usr/local/bin/entrypoint", "/sbin/init"}))
	g.Expect(file.Config.StopSignal).To(Equal("SIGRTMIN+3"))
	g.Expect(file.Config.Labels).To(HaveKeyWithValue(Label, b.key()))
	g.Expect(os.Remove(filepath.Join(dir, "node.tar"))).To(Succeed())
	_, err = b.image(dir)
	g.Expect(err).To(MatchError(os.ErrNotExist))
}

func TestBootstrapRunsMmdebstrap(t *testing.T) {
	g := NewWithT(t)
	f := fake.NewCommands(t).Command("mmdebstrap", fake.Answer{Stderr: "I: installing packages\nW: slow\nI: creating tarball\n"})
	d := debian{Suite: "bookworm", Mirror: "http://mirror", Packages: []string{"a", "b"}, Exclude: []string{"/usr/share/doc/*"}, Include: []string{"/usr/share/doc/a"}}
	var steps []string
	g.Expect(d.bootstrap(t.Context(), "/out/base.tar", func(format string, args ...any) { steps = append(steps, fmt.Sprintf(format, args...)) })).To(Succeed())
	g.Expect(steps).To(Equal([]string{"installing packages", "creating tarball"}))
	g.Expect(f.Lines()).To(ConsistOf(And(
		ContainSubstring(" --include=a,b "),
		ContainSubstring(" --dpkgopt=path-exclude=/usr/share/doc/* --dpkgopt=path-include=/usr/share/doc/a "),
		ContainSubstring(" --customize-hook="+customize[0]+" "),
		HaveSuffix(" bookworm /out/base.tar http://mirror"),
	)))
	f.Command("mmdebstrap", fake.Answer{Exit: 25, Stderr: "E: no mirror answers\n"})
	g.Expect(d.bootstrap(t.Context(), "/out/base.tar", func(string, ...any) {})).To(MatchError("mmdebstrap: exit status 25: E: no mirror answers"))
}

// A command whose output is no longer read blocks.
func TestBootstrapEndsAfterATooLongLine(t *testing.T) {
	g := NewWithT(t)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	fake.NewCommands(t).Command("mmdebstrap", fake.Answer{Stderr: strings.Repeat("x", 1<<20)})
	g.Expect(debian{}.bootstrap(ctx, "/out/base.tar", func(string, ...any) {})).To(MatchError("read the output of mmdebstrap: bufio.Scanner: token too long"))
}

// responds is the answer of ctr once containerd handles interrupts.
var responds = fake.Answer{Has: " version", Wait: true}

func TestImportImagesStopsContainerd(t *testing.T) {
	g := NewWithT(t)
	f := fake.NewCommands(t).
		Command("containerd", fake.Answer{Hang: true, Release: true}).
		Command("ctr", responds, fake.Answer{})
	g.Expect(importImages(t.Context(), f.Dir, "/in/images.tar", "/out/store")).To(Succeed())
	g.Expect(f.Lines()).To(ContainElements(
		MatchRegexp("^containerd .* --root /out/store "),
		MatchRegexp("^ctr --address .*/c.sock --namespace k8s.io images import .* /in/images.tar$"),
	))
}

func TestImportImagesErrors(t *testing.T) {
	for name, test := range map[string]struct {
		containerd, ctr fake.Answer
		want            string
	}{
		"of the import, with containerd's log": {
			fake.Answer{Hang: true, Release: true, Stderr: "level=error\n"}, fake.Answer{Exit: 1, Stderr: "ctr: unexpected EOF\n"},
			"(?s)^import images: exit status 1: ctr: unexpected EOF\n; containerd's log: level=error$",
		},
		"of containerd's exit": {
			fake.Answer{Hang: true, Release: true, Exit: 2, Stderr: "panic\n"}, fake.Answer{},
			"^containerd: exit status 2: panic$",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := fake.NewCommands(t).Command("containerd", test.containerd).Command("ctr", responds, test.ctr)
			err := importImages(t.Context(), f.Dir, "/in/images.tar", "/out/store")
			NewWithT(t).Expect(err).To(MatchError(MatchRegexp(test.want)))
		})
	}
}
