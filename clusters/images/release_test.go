// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package images

import (
	"debug/elf"
	"encoding/json"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/distribution/reference"
	. "github.com/onsi/gomega"
)

func TestReference(t *testing.T) {
	for name, test := range map[string]struct {
		image             Image
		release, registry string
		want              string
	}{
		"of a release":              {Workload, "v1.2.3", "", "ghcr.io/draconform/workload:v1.2.3"},
		"of a release in a mirror":  {Workload, "v1.2.3", "registry.example.com/dra", "registry.example.com/dra/workload:v1.2.3"},
		"with a slash too many":     {Workload, "v1.2.3", "registry.example.com/dra/", "registry.example.com/dra/workload:v1.2.3"},
		"of the scheduler":          {Scheduler, "v1.2.3", "", "ghcr.io/draconform/scheduler:v1.2.3"},
		"of a checkout":             {Workload, "", "", "draconform.dev/workload:dev"},
		"of a checkout in a mirror": {Workload, "", "registry.example.com/dra", "registry.example.com/dra/workload:dev"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			got := test.image.reference(test.release, test.registry)
			g.Expect(got).To(Equal(test.want))
			_, err := reference.ParseNormalizedNamed(got)
			g.Expect(err).NotTo(HaveOccurred())
		})
	}
}

// TestWriteArchiveForOtherArchitectures uses the image that only needs the standard library.
func TestWriteArchiveForOtherArchitectures(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("GOPROXY", "off")
	archive := filepath.Join(t.TempDir(), "images.tar")
	g.Expect(WriteArchiveFor(t.Context(), archive, Architectures, func(string, ...any) {}, Workload)).To(Succeed())
	var all struct {
		Manifests []struct{ MediaType, Digest string }
	}
	g.Expect(json.Unmarshal(fileIn(t, archive, "index.json"), &all)).To(Succeed())
	g.Expect(all.Manifests).To(HaveLen(1))
	var index struct {
		Manifests []struct{ Platform struct{ Architecture string } }
	}
	g.Expect(json.Unmarshal(fileIn(t, archive, "blobs/"+strings.ReplaceAll(all.Manifests[0].Digest, ":", "/")), &index)).To(Succeed())
	var got []string
	for _, m := range index.Manifests {
		got = append(got, m.Platform.Architecture)
	}
	g.Expect(got).To(Equal([]string{"amd64", "arm64"}))

	cache, unlock, err := binaries(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	defer unlock()
	for arch, machine := range map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64} {
		dir := filepath.Join(cache, arch)
		if arch == runtime.GOARCH {
			dir = cache
		}
		binary, err := elf.Open(filepath.Join(dir, "workload"))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(binary.Machine).To(Equal(machine))
		g.Expect(binary.Close()).To(Succeed())
	}
}
