// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/internal/fake"
	"github.com/draconform/draconform/clusters/progress"
)

const (
	inspect = "image inspect --format {{.Id}} "
	// cannotBuild is the error of a build if PATH contains only docker.
	cannotBuild = "building a node image needs the Go toolchain: "
)

// absent returns the answers of an engine without images, after the given ones.
func absent(before ...fake.Answer) []fake.Answer {
	return append(before, fake.Answer{Args: "image inspect", Exit: 1, Stderr: "Error response from daemon: No such image\n"})
}

func TestEnsureTriesTheSourcesInOrder(t *testing.T) {
	kindImage, own := "kindest/node:v"+clusters.Newest().Version, builderOf(t).ref()
	for name, test := range map[string]struct {
		answers []fake.Answer
		build   bool
		want    Image
		wantErr string
		calls   []string
	}{
		"kind's image of the engine": {
			answers: []fake.Answer{{Args: "image inspect"}},
			want:    Image{Ref: kindImage, Source: FromEngine},
			calls:   []string{inspect + kindImage},
		},
		"a built image of the engine": {
			answers: absent(fake.Answer{Args: inspect + own}),
			want:    Image{Ref: own, Source: FromEngine},
			calls:   []string{inspect + kindImage, inspect + own},
		},
		"kind's image of the registry": {
			answers: absent(fake.Answer{Args: "pull", Stdout: "Pulling from kindest/node\n"}),
			want:    Image{Ref: kindImage, Source: FromRegistry},
			calls:   []string{inspect + kindImage, inspect + own, "pull " + kindImage},
		},
		"a new image": {
			answers: absent(fake.Answer{Args: "pull", Exit: 1, Stderr: "no such host\n"}),
			wantErr: cannotBuild,
			calls:   []string{inspect + kindImage, inspect + own, "pull " + kindImage},
		},
		"only a built image with Build": {
			answers: []fake.Answer{{Args: inspect + own}}, build: true,
			want:  Image{Ref: own, Source: FromEngine},
			calls: []string{inspect + own},
		},
		"only a new image with Build": {
			answers: absent(), build: true,
			wantErr: cannotBuild,
			calls:   []string{inspect + own},
		},
		"none if the engine fails": {
			answers: []fake.Answer{{Exit: 1, Stderr: "Cannot connect\n"}},
			wantErr: "engine: docker image inspect --format {{.Id}} " + kindImage + ": exit status 1: Cannot connect",
			calls:   []string{inspect + kindImage},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			e, f := fake.Docker(t, engine.Find, test.answers...)
			got, err := Ensure(t.Context(), Options{Engine: e, Release: clusters.Newest(), CacheDir: t.TempDir(), Build: test.build})
			var calls []string
			for _, line := range f.Lines() {
				calls = append(calls, strings.TrimPrefix(line, "docker "))
			}
			g.Expect(calls).To(Equal(test.calls))
			if test.wantErr != "" {
				g.Expect(err).To(MatchError(HavePrefix(test.wantErr)))
				return
			}
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(got).To(Equal(test.want))
		})
	}
}

func TestEnsureReportsWhyItBuilds(t *testing.T) {
	g := NewWithT(t)
	e, _ := fake.Docker(t, engine.Find, absent(fake.Answer{Args: "pull", Exit: 1, Stderr: "dial tcp: no such host\nmore\n"})...)
	var out bytes.Buffer
	_, err := Ensure(t.Context(), Options{Engine: e, Release: clusters.Newest(), CacheDir: t.TempDir(), Progress: progress.New(&out)})
	g.Expect(err).To(HaveOccurred())
	g.Expect(out.String()).To(MatchRegexp(`(?m)^ ✓ node image kindest/node:v\S+ from the registry: not available, building it: .*dial tcp: no such host.*\(\S+s\)$`))
}

func TestEnsureEndsWithItsContext(t *testing.T) {
	g := NewWithT(t)
	e, f := fake.Docker(t, engine.Find, absent(fake.Answer{Args: "pull", Hang: true})...)
	ctx, cancel := context.WithCancelCause(t.Context())
	failed := make(chan error)
	go func() {
		_, err := Ensure(ctx, Options{Engine: e, Release: clusters.Newest(), CacheDir: t.TempDir()})
		failed <- err
	}()
	g.Eventually(f.Lines).WithTimeout(lots).Should(ContainElement(HavePrefix("docker pull")))
	cancel(errors.New("the user pressed ^C"))
	g.Eventually(failed).WithTimeout(lots).Should(Receive(MatchError("the user pressed ^C")), "it builds nothing")
}
