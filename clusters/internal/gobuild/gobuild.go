// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package gobuild builds commands of other Go modules. Each build uses a
// throw-away main module that pins the versions of its dependencies.
package gobuild

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/draconform/draconform/internal/gocmd"
)

// Build describes the commands to build and what to build them from.
type Build struct {
	// Dir is the folder of the throw-away module. It is created.
	Dir string
	// Checkout builds in Dir without changes. Dir is the root of a module's
	// source. Require, Pin, Exclude and Sources are ignored.
	Checkout bool
	// Require lists the modules that contain the commands or are imported by
	// them.
	Require []module.Version
	// Pin lists modules that have exactly this version, even if other modules
	// require a newer one.
	Pin []module.Version
	// Exclude lists versions that the build does without, although other modules
	// require them.
	Exclude []module.Version `json:",omitempty"`
	// Godebug are settings of the main module, each as key=value.
	Godebug []string
	// Sources are the files of the throw-away module, by path.
	Sources map[string][]byte
	// Commands are the import paths of the main packages.
	Commands []string
	// Out is the folder of the binaries. It is created.
	Out string
	// Tags are build tags.
	Tags []string
	// LDFlags are added to "-s -w".
	LDFlags string
	// GOOS is the operating system of the binaries. Default: linux, which is
	// that of nodes. The default is not part of the encoded build.
	GOOS string `json:",omitempty"`
	// GOARCH is the architecture of the binaries. Default: that of this machine.
	GOARCH string `json:",omitempty"`
}

// environment is added to the user's environment for the build.
func (b Build) environment() []string {
	return []string{"GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0", "GOOS=" + cmp.Or(b.GOOS, "linux"), "GOARCH=" + cmp.Or(b.GOARCH, runtime.GOARCH)}
}

// running serializes builds. Each build uses all processors, and two at the same
// time would compile their common packages twice.
var running = make(chan struct{}, 1)

// Run builds static binaries. It waits for earlier builds of this process. It
// calls update with the progress of the compilation. The error contains the
// last lines of the go command's output.
func (b Build) Run(ctx context.Context, update func(string, ...any)) error {
	mod := "readonly"
	if !b.Checkout {
		mod = "mod" // adds missing requirements to the throw-away module
		if err := b.pin(ctx); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(b.Out, 0o755); err != nil {
		return err
	}
	select {
	case running <- struct{}{}:
		defer func() { <-running }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	args := append([]string{
		"-mod=" + mod, "-buildvcs=false",
		"-tags=" + strings.Join(b.Tags, ","),
		"-ldflags=" + strings.TrimSpace("-s -w "+b.LDFlags),
		"-o", b.Out + string(filepath.Separator),
	}, b.Commands...)
	if err := gocmd.Build(ctx, b.Dir, func(d gocmd.Done) { update("%s", d) }, b.environment(), args...); err != nil {
		return fmt.Errorf("build %s: %w", strings.Join(b.Commands, " "), err)
	}
	return nil
}

// writeModule writes go.mod and the sources. It keeps an existing go.sum, which
// belongs to the same pinned versions.
func (b Build) writeModule(excluded []module.Version) error {
	var f modfile.File
	if err := f.AddModuleStmt("draconform.dev/throwaway"); err != nil {
		return err
	}
	if err := f.AddGoStmt("1.26.0"); err != nil {
		return err
	}
	for _, m := range slices.Concat(b.Require, b.Pin) {
		f.AddNewRequire(m.Path, m.Version, false)
	}
	for _, setting := range b.Godebug {
		key, value, _ := strings.Cut(setting, "=")
		if err := f.AddGodebug(key, value); err != nil {
			return err
		}
	}
	for _, m := range excluded {
		if err := f.AddExclude(m.Path, m.Version); err != nil {
			return err
		}
	}
	mod, err := f.Format()
	if err != nil {
		return fmt.Errorf("write throw-away module: %w", err)
	}
	files := map[string][]byte{"go.mod": mod}
	maps.Copy(files, b.Sources)
	for name, content := range files {
		path := filepath.Join(b.Dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
