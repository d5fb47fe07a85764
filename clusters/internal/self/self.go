// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package self builds commands of this module from a checkout or from a
// released version.
package self

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/draconform/draconform/clusters/internal/gobuild"
	"github.com/draconform/draconform/internal/version"
)

// ModulePath is the path of this module.
const ModulePath = version.Module

// Source returns a build of commands of this module. It uses the checkout that
// contains the working folder. Outside of a checkout it uses a throw-away
// module in the folder throwAway. That module requires the released version
// that this program was built from. If nested is not empty, it is the folder of
// the nested module whose commands are built. The replace directives of a
// nested module only work in a checkout.
func Source(ctx context.Context, nested, throwAway string) (gobuild.Build, error) {
	checkout, err := findCheckout(ctx)
	if err != nil {
		return gobuild.Build{}, err
	}
	if checkout != "" {
		return gobuild.Build{Dir: filepath.Join(checkout, nested), Checkout: true}, nil
	}
	if nested != "" {
		return gobuild.Build{}, errors.New("commands of " + nested + " are built from a checkout only: run inside a checkout of " + ModulePath)
	}
	source := version.Source()
	if source == "" {
		return gobuild.Build{}, errors.New("images are built from the source of this module: run inside a checkout of " + ModulePath + ", or install a released version with \"go install\"")
	}
	return gobuild.Build{
		Dir:     throwAway,
		Require: []module.Version{{Path: ModulePath, Version: source}},
	}, nil
}

// findCheckout returns the root of the checkout of this module that contains
// the working folder. The working folder may be in a nested module. The root is
// empty if there is no checkout.
func findCheckout(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("building images needs the Go toolchain: %w: install it, see https://go.dev/doc/install", err)
	}
	if err != nil {
		return "", errors.Join(ctx.Err(), fmt.Errorf("find the checkout: %w", err))
	}
	// Outside of any module, GOMOD is the null device or empty.
	goMod := strings.TrimSpace(string(out))
	content, err := os.ReadFile(goMod)
	if err != nil {
		return "", nil //nolint:nilerr // Without a go.mod this is no checkout.
	}
	root := filepath.Dir(goMod)
	switch nested, isNested := strings.CutPrefix(modfile.ModulePath(content), ModulePath); {
	case isNested && nested == "":
		return root, nil
	case isNested && strings.HasSuffix(filepath.ToSlash(root), nested):
		root = strings.TrimSuffix(root, filepath.FromSlash(nested))
		if content, err = os.ReadFile(filepath.Join(root, "go.mod")); err == nil && modfile.ModulePath(content) == ModulePath {
			return root, nil
		}
	}
	return "", nil
}
