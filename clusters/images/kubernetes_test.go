// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package images

import (
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	"golang.org/x/mod/module"

	"github.com/draconform/draconform/clusters"
)

// Commands of Kubernetes and of this repository are built together, in the
// module graph of the release.
func TestCommandsAreBuiltWithAKubernetesRelease(t *testing.T) {
	g := NewWithT(t)
	release := clusters.Newest().Version
	upstream := Image{Ref: "a:1", Package: "k8s.io/kubernetes/test/e2e/dra/test-driver", Kubernetes: release, Tags: []string{"a"}}
	own := Image{Ref: "b:1", Module: "e2e/vendors", Package: "e2e/vendors/boards", Kubernetes: release, Tags: []string{"a"}}
	out := t.TempDir()
	build, err := withKubernetes(t.Context(), release, out, []Image{upstream, own})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(build.Checkout).To(BeFalse())
	g.Expect(build.Require).To(Equal([]module.Version{{Path: "k8s.io/kubernetes", Version: "v" + release}}))
	g.Expect(build.Pin).To(ContainElement(HaveField("Path", "k8s.io/client-go")))
	g.Expect(build.Commands).To(Equal([]string{upstream.Package, "./sources/boards"}))
	g.Expect(build.Out).To(Equal(out))
	g.Expect(build.Dir).To(Equal(filepath.Join(out, "module")))
	g.Expect(build.Tags).To(Equal([]string{"a"}))
	g.Expect(build.LDFlags).To(ContainSubstring("gitVersion=v" + release))
	g.Expect(build.Sources).To(HaveKeyWithValue("sources/boards/main.go", ContainSubstring("package main")))
	g.Expect(build.Sources).NotTo(HaveKey(HaveSuffix("_test.go")))
}

// Images with the same command share its binary.
func TestCommandsAreBuiltOnceWithAKubernetesRelease(t *testing.T) {
	g := NewWithT(t)
	one := Image{Ref: "a:1", Package: "k8s.io/kubernetes/test/e2e/dra/test-driver", Kubernetes: clusters.Newest().Version}
	other := one
	other.Ref = "a:2"
	build, err := withKubernetes(t.Context(), one.Kubernetes, t.TempDir(), []Image{one, other})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(build.Commands).To(HaveLen(1))
}

func TestCommandsOfReleasesHaveFoldersOfTheirOwn(t *testing.T) {
	g := NewWithT(t)
	g.Expect(built{kubernetes: "1.34.4", tags: "a"}.dir("/out")).To(Equal("/out/1.34.4/a"))
	g.Expect(built{tags: "a"}.dir("/out")).To(Equal("/out/a"))
}

func TestSourcesOfAMissingPackage(t *testing.T) {
	err := addSources(t.Context(), nil, Image{Ref: "b:1", Module: "e2e/vendors", Package: "e2e/vendors/missing"})
	NewWithT(t).Expect(err).To(MatchError(MatchRegexp("^read the package of image b:1: open .*/e2e/vendors/missing: no such file")))
}
