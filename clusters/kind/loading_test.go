// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/clusters/internal/fake"
	"github.com/draconform/draconform/clusters/progress"
)

// loadingOfBuilt returns the loading of images whose build has ended with this error, and
// what is shown of it. The cluster has one node.
func loadingOfBuilt(ctx context.Context, t *testing.T, err error) (*loading, *fake.Commands, *bytes.Buffer) {
	t.Helper()
	var shown bytes.Buffer
	p, f := newProvider(t, fake.Answer{Args: listNodes, Stdout: "c-worker\n"}, nodeRole, //nolint:contextcheck // The commands are fake.
		fake.Answer{Args: "exec --privileged c-worker containerd", Stdout: containerdConfig}, fake.Answer{Args: "exec --privileged -i"})
	p.options.Images, p.options.Progress = []images.Image{images.Workload}, progress.New(&shown)
	a := &archives{dir: t.TempDir(), start: func() {}, built: make(chan struct{}), err: err}
	close(a.built)
	NewWithT(t).Expect(os.WriteFile(a.images(), []byte("an archive"), 0o600)).To(Succeed())
	return p.loadingOf(ctx, a), f, &shown
}

// imports returns the commands that have imported images.
func imports(f *fake.Commands) []string {
	return slices.DeleteFunc(slices.Clone(f.Lines()), func(line string) bool { return !strings.Contains(line, " images import ") })
}

// kind tells when workers begin to join, and when they have joined.
func TestImagesAreLoadedOnce(t *testing.T) {
	g := NewWithT(t)
	l, f, _ := loadingOfBuilt(t.Context(), t, nil)
	l.start()
	l.start()
	g.Expect(l.wait(t.Context())).To(Succeed())
	g.Expect(imports(f)).To(HaveLen(1))
}

// A cluster without workers is complete without the message.
func TestImagesAreLoadedAtTheLatestWhenTheClusterIsComplete(t *testing.T) {
	g := NewWithT(t)
	l, f, _ := loadingOfBuilt(t.Context(), t, nil)
	g.Expect(l.wait(t.Context())).To(Succeed())
	g.Expect(imports(f)).To(HaveLen(1))
}

func TestImagesThatCouldNotBeBuiltAreNotLoaded(t *testing.T) {
	g := NewWithT(t)
	l, f, _ := loadingOfBuilt(t.Context(), t, errors.New("it does not compile"))
	l.start()
	g.Expect(l.wait(t.Context())).To(MatchError("it does not compile"))
	g.Expect(imports(f)).To(BeEmpty())
}

// After a failed creation there is no cluster to load images into.
func TestLoadingThatHasNotStartedEndsAtOnce(t *testing.T) {
	g := NewWithT(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 { // Both the images and the end of the context are there.
		l, f, shown := loadingOfBuilt(ctx, t, nil)
		l.end()
		g.Expect(imports(f)).To(BeEmpty())
		g.Expect(shown.String()).To(BeEmpty())
	}
}
