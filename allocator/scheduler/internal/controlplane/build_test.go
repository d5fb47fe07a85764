// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

func TestExistingBinariesAreNotBuilt(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("KUBEBUILDER_ASSETS", "/somewhere")
	g.Expect(Binaries(t.Context(), Etcd)).To(Equal("/somewhere"))
}

func TestUnknownCommandsAreErrors(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("KUBEBUILDER_ASSETS", "")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	_, err := Binaries(t.Context(), "kubelet")
	g.Expect(err).To(MatchError(ContainSubstring(`"kubelet"`)))
}

func TestModulesOfKubernetesAreReplacedByPublishedOnes(t *testing.T) {
	g := NewWithT(t)
	kube, err := required(t.Context(), kubernetesModule)
	g.Expect(err).NotTo(HaveOccurred())
	content, err := throwaway(t.Context(), module.Version{Path: kubernetesModule, Version: kube.Version})
	g.Expect(err).NotTo(HaveOccurred())
	file, err := modfile.Parse("go.mod", content, nil)
	g.Expect(err).NotTo(HaveOccurred())
	replaced := map[string]string{}
	for _, r := range file.Replace {
		replaced[r.Old.Path] = r.New.Path + "@" + r.New.Version
	}
	g.Expect(replaced).To(HaveKeyWithValue("k8s.io/apiserver", "k8s.io/apiserver@v0."+strings.TrimPrefix(kube.Version, "v1.")))
	g.Expect(replaced).NotTo(HaveKey("k8s.io/klog/v2"))
}

func TestEtcdNeedsNoReplacements(t *testing.T) {
	g := NewWithT(t)
	content, err := throwaway(t.Context(), module.Version{Path: etcdModule, Version: "v3.7.0"})
	g.Expect(err).NotTo(HaveOccurred())
	file, err := modfile.Parse("go.mod", content, nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(file.Replace).To(BeEmpty())
	g.Expect(file.Require).To(HaveLen(1))
	g.Expect(file.Require[0].Mod.String()).To(Equal(etcdModule + "@v3.7.0"))
}
