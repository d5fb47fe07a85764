package nodeimage

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	"golang.org/x/mod/module"
)

func TestStagingModulesAreThoseOfTheRelease(t *testing.T) {
	NewWithT(t).Expect(stagingModules("testdata/kubernetes/go.mod.txt", "1.37.1")).To(Equal([]module.Version{
		{Path: "k8s.io/api", Version: "v0.37.1"},
		{Path: "k8s.io/client-go", Version: "v0.37.1"},
	}))
}

func TestStagingModulesErrors(t *testing.T) {
	write := func(content string) string {
		path := filepath.Join(t.TempDir(), "go.mod")
		NewWithT(t).Expect(os.WriteFile(path, []byte(content), 0o600)).To(Succeed())
		return path
	}
	for name, test := range map[string]struct{ goMod, version, want string }{
		"no file":                  {"/nonexistent/go.mod", "1.37.1", "^open /nonexistent/go.mod: "},
		"no module file":           {write("require ("), "1.37.1", "^read .*go.mod: "},
		"a layout that is unknown": {write("module k8s.io/kubernetes\n\nrequire k8s.io/api v0.37.1\n"), "1.37.1", "requires no module at v0.0.0"},
		"half a version":           {"testdata/kubernetes/go.mod.txt", "1", `^kubernetes version "1" is not of the form 1.X.Y$`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := stagingModules(test.goMod, test.version)
			NewWithT(t).Expect(err).To(MatchError(MatchRegexp(test.want)))
		})
	}
}

func TestVersionStamps(t *testing.T) {
	NewWithT(t).Expect(versionStamps("1.37.1")).To(Equal("" +
		"-X k8s.io/component-base/version.gitVersion=v1.37.1 " +
		"-X k8s.io/component-base/version.gitMajor=1 " +
		"-X k8s.io/component-base/version.gitMinor=37 " +
		"-X k8s.io/component-base/version.gitTreeState=archive"))
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
