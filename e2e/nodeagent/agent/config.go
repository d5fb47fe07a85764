// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package agent is the node agent: it calls DRA drivers on its node as the
// kubelet does, and reads what drivers and the kubelet left in files.
package agent

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/draconform/draconform/e2e/nodeagent/api"
)

// Default directories of a node.
const (
	// KubeletDir is the default of the kubelet's flag --root-dir.
	KubeletDir = "/var/lib/kubelet"
	// DynamicCDIDir and StaticCDIDir are the directories where container
	// runtimes look for CDI specs.
	DynamicCDIDir = "/var/run/cdi"
	StaticCDIDir  = "/etc/cdi"
)

// Config configures an agent.
type Config struct {
	// Drivers are the names of the drivers that may be called.
	Drivers []string
	// KubeletDir is the root directory of the kubelet. It has the same path as
	// on the node, because drivers register paths of the node.
	KubeletDir string
	// CDIDirs are the directories with CDI specs. Files in the first one can be
	// hidden.
	CDIDirs []string
	// Token is the value of the header [api.TokenHeader] that requests need.
	Token string
}

func (c Config) validate() error {
	for _, driver := range c.Drivers {
		if problems := validation.IsDNS1123Subdomain(driver); len(problems) > 0 {
			return fmt.Errorf("%q is not the name of a driver: %s", driver, problems[0])
		}
	}
	for _, dir := range append([]string{c.KubeletDir}, c.CDIDirs...) {
		if !filepath.IsAbs(dir) {
			return fmt.Errorf("directory %q is not an absolute path", dir)
		}
	}
	switch {
	case len(c.Drivers) == 0:
		return errors.New("there is no driver to call")
	case len(c.CDIDirs) == 0:
		return errors.New("there is no directory with CDI files")
	case c.Token == "":
		return errors.New("the token is empty")
	}
	return nil
}

// registryDir is the directory where the kubelet looks for plugins.
func (c Config) registryDir() string { return filepath.Join(c.KubeletDir, "plugins_registry") }

// checkpoint is the file where the kubelet stores prepared claims.
func (c Config) checkpoint() string { return filepath.Join(c.KubeletDir, "dra_manager_state") }

// podResourcesSocket is the socket where the kubelet serves monitoring agents.
func (c Config) podResourcesSocket() string {
	return filepath.Join(c.KubeletDir, "pod-resources", "kubelet.sock")
}

// allow returns an error unless the driver may be called.
func (c Config) allow(driver string) error {
	if slices.Contains(c.Drivers, driver) {
		return nil
	}
	return fmt.Errorf("%w: this agent must not call driver %q, only %q", api.ErrInvalid, driver, c.Drivers)
}
