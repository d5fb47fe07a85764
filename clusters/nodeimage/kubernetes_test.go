// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
)

func TestEtcdVersionOmitsTheImagesRevision(t *testing.T) {
	NewWithT(t).Expect(kubeadmImages{etcd: "3.7.0-1"}.etcdVersion()).To(Equal("v3.7.0"))
}

func TestReadKubeadmImages(t *testing.T) {
	NewWithT(t).Expect(readKubeadmImages("testdata/kubernetes")).To(Equal(kubeadmImages{etcd: "3.7.0-0", coreDNS: "v1.14.6"}))
}

func TestReadKubeadmImagesErrors(t *testing.T) {
	for name, test := range map[string]struct{ content, want string }{
		"no Go":      {"<html>", "^read kubeadm's constants: "},
		"no etcd":    {"package constants\n\nconst CoreDNSVersion = \"v1.14.6\"\n", "names no DefaultEtcdVersion or no CoreDNSVersion$"},
		"no CoreDNS": {"package constants\n\nconst DefaultEtcdVersion = \"3.7.0-0\"\n", "names no DefaultEtcdVersion or no CoreDNSVersion$"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			dir := t.TempDir()
			constants := filepath.Join(dir, "cmd", "kubeadm", "app", "constants")
			g.Expect(os.MkdirAll(constants, 0o755)).To(Succeed())
			g.Expect(os.WriteFile(filepath.Join(constants, "constants.go"), []byte(test.content), 0o600)).To(Succeed())
			_, err := readKubeadmImages(dir)
			g.Expect(err).To(MatchError(MatchRegexp(test.want)))
		})
	}
	_, err := readKubeadmImages("/nonexistent")
	NewWithT(t).Expect(err).To(MatchError(HavePrefix("read kubeadm's constants: open /nonexistent/")))
}

// kubernetesDir returns a folder with the main packages of Kubernetes' commands.
func kubernetesDir(t *testing.T) string {
	t.Helper()
	g, dir := NewWithT(t), t.TempDir()
	for _, name := range slices.Concat(nodeCommands, componentCommands) {
		g.Expect(os.MkdirAll(filepath.Join(dir, "cmd", name), 0o755)).To(Succeed())
		g.Expect(os.WriteFile(filepath.Join(dir, "cmd", name, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o600)).To(Succeed())
	}
	return dir
}

func TestKeyOfKubernetesDependsOnItsMainPackages(t *testing.T) {
	g := NewWithT(t)
	dir := kubernetesDir(t)
	before, err := kubernetes("1.37.1", dir)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(os.WriteFile(filepath.Join(dir, "cmd", "kubelet", "main.go"), []byte("package main\n\nfunc main() { run() }\n\nfunc run() {}\n"), 0o600)).To(Succeed())
	after, err := kubernetes("1.37.1", dir)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(after.key).NotTo(Equal(before.key))
	_, err = kubernetes("1.37.1", t.TempDir())
	g.Expect(err).To(MatchError(HavePrefix("read the main package of kube")))
}
