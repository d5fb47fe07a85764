// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package gobuild

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/draconform/draconform/internal/gocmd"
)

// Package is a package in the version of its module. The version is empty for
// packages of the standard library and of main modules.
type Package struct{ Path, Version string }

// packageFormat prints a package, and then the file with the compiled one if
// the go command is asked to export it.
const packageFormat = "{{.ImportPath}}\t{{with .Module}}{{.Version}}{{end}}\t{{.Export}}"

// Discard removes packages that Run has compiled from the go command's cache and
// returns the number of removed bytes. Another build with [gocmd.Flags] that
// needs one of these packages compiles it again. Builds with other flags have
// their own compiled packages.
func (b Build) Discard(ctx context.Context, discard func(Package) bool) (int64, error) {
	out, err := b.list(ctx, "-mod=mod", "-export")
	if err != nil {
		return 0, err
	}
	cache, _, err := Caches(ctx)
	if err != nil {
		return 0, err
	}
	inCache := cache + string(filepath.Separator)
	var freed int64
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		p, file := readPackage(lines.Text())
		if !strings.HasPrefix(file, inCache) || !discard(p) {
			continue
		}
		info, err := os.Stat(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.Remove(file)
		}
		if err != nil {
			return freed, err
		}
		freed += info.Size()
	}
	return freed, nil
}

// Caches returns the folders of the go command's build cache and module cache.
func Caches(ctx context.Context) (builds, modules string, err error) {
	// In this folder the go command does not use a go.mod of the caller.
	out, err := output(ctx, os.TempDir(), Build{}.environment(), "env", "GOCACHE", "GOMODCACHE")
	if err != nil {
		return "", "", fmt.Errorf("find the go command's caches: %w", err)
	}
	builds, modules, _ = strings.Cut(strings.TrimSpace(string(out)), "\n")
	return filepath.Clean(builds), filepath.Clean(modules), nil
}

// Packages returns all packages of the build's commands, including dependencies.
// For a checkout, it returns those of all packages of its module and of their
// tests.
func (b Build) Packages(ctx context.Context) ([]Package, error) {
	args := []string{"-mod=mod"}
	if b.Checkout {
		args = []string{"-mod=readonly", "-test"}
		b.Commands = []string{"./..."}
	}
	out, err := b.list(ctx, args...)
	if err != nil {
		return nil, err
	}
	var all []Package
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		p, _ := readPackage(lines.Text())
		all = append(all, p)
	}
	return all, nil
}

func readPackage(line string) (p Package, export string) {
	fields := strings.SplitN(line, "\t", 3)
	if len(fields) < 3 {
		return Package{}, ""
	}
	return Package{fields[0], fields[1]}, fields[2]
}

// list runs "go list -deps" with the flags and the environment that Run uses for
// "go build".
func (b Build) list(ctx context.Context, args ...string) ([]byte, error) {
	args = append(append([]string{"list", "-deps", "-buildvcs=false", "-f", packageFormat, "-tags=" + strings.Join(b.Tags, ",")}, gocmd.Flags...), args...)
	out, err := output(ctx, b.Dir, b.environment(), append(args, b.Commands...)...)
	if err != nil {
		return nil, fmt.Errorf("list packages: %w", err)
	}
	return out, nil
}
