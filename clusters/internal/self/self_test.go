// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package self

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/internal/gobuild"
)

func TestFindCheckout(t *testing.T) {
	wd, err := os.Getwd()
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	root := filepath.Dir(filepath.Dir(filepath.Dir(wd)))
	other := t.TempDir()
	NewWithT(t).Expect(os.WriteFile(filepath.Join(other, "go.mod"), []byte("module example.com/other\n"), 0o600)).To(Succeed())
	for name, test := range map[string]struct{ in, want string }{
		"at its root":           {root, root},
		"below its root":        {wd, root},
		"in a nested module":    {filepath.Join(root, "allocator", "scheduler"), root},
		"outside of any module": {t.TempDir(), ""},
		"in another module":     {other, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(test.in)
			NewWithT(t).Expect(findCheckout(t.Context())).To(Equal(test.want))
		})
	}
}

// TestFindCheckoutDoesNotChangeGoMod guards that an untidy go.mod is not changed.
func TestFindCheckoutDoesNotChangeGoMod(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	untidy := []byte("module " + ModulePath + "\nrequire   golang.org/x/sys v0.1.0\nrequire golang.org/x/sys v0.2.0\n")
	path := filepath.Join(dir, "go.mod")
	g.Expect(os.WriteFile(path, untidy, 0o600)).To(Succeed())
	t.Chdir(dir)
	g.Expect(findCheckout(t.Context())).To(Equal(dir))
	g.Expect(os.ReadFile(path)).To(Equal(untidy))
}

func TestFindCheckoutErrors(t *testing.T) {
	t.Run("without the Go toolchain", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		_, err := findCheckout(t.Context())
		NewWithT(t).Expect(err).To(MatchError(HavePrefix("building images needs the Go toolchain: ")))
	})
	t.Run("with a cancelled context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := findCheckout(ctx)
		NewWithT(t).Expect(err).To(MatchError(context.Canceled), "not as if there were none")
	})
}

func TestSourceOfANestedModule(t *testing.T) {
	g := NewWithT(t)
	root, err := filepath.Abs("../../..")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(Source(t.Context(), "allocator/scheduler", "unused")).To(Equal(gobuild.Build{
		Dir: filepath.Join(root, "allocator", "scheduler"), Checkout: true,
	}))
	t.Chdir(t.TempDir())
	_, err = Source(t.Context(), "allocator/scheduler", "unused")
	g.Expect(err).To(MatchError("commands of allocator/scheduler are built from a checkout only: run inside a checkout of github.com/draconform/draconform"))
}
