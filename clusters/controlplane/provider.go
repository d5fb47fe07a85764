// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/e2e-framework/klient"
	"sigs.k8s.io/e2e-framework/support"

	"github.com/draconform/draconform/clusters"
)

// Provider starts and ends one control plane. It implements a cluster provider of
// e2e-framework. Only one method may be called at a time, apart from [Provider.Watch].
type Provider struct {
	options Options
	// versionErr and optionsErr are the errors of WithVersion and SetDefaults,
	// which cannot return them. Create returns them.
	versionErr, optionsErr error

	dir        string // the temporary folder
	logs       string
	kubeconfig string
	ports      ports
	http       *http.Client // trusts the certificate authority
	client     kubernetes.Interface
	scheduler  struct{ path, config string }

	mu      sync.Mutex
	running map[string]*process // by the names of the components
	// ends has a value if a process has ended since the watch looked.
	ends chan struct{}
}

var _ support.E2EClusterProvider = &Provider{}

// New returns a provider of a control plane with these options.
func New(o Options) *Provider {
	return &Provider{options: o, running: map[string]*process{}, ends: make(chan struct{}, 1)}
}

// Name returns the name of the control plane.
func (p *Provider) Name() string { return p.options.Name }

// WithName sets the name of the control plane.
func (p *Provider) WithName(name string) support.E2EClusterProvider {
	p.options.Name = name
	return p
}

// WithVersion sets the Kubernetes release, for example 1.37 or v1.37.1. If the
// release is not supported, Create returns an error.
func (p *Provider) WithVersion(version string) support.E2EClusterProvider {
	p.options.Release, p.versionErr = clusters.FindRelease(version)
	return p
}

// WithPath sets the folder of the programs.
func (p *Provider) WithPath(path string) support.E2EClusterProvider {
	p.options.Programs = func(context.Context) (string, error) { return path, nil }
	return p
}

// WithOpts applies options.
func (p *Provider) WithOpts(opts ...support.ClusterOpts) support.E2EClusterProvider {
	for _, o := range opts {
		o(p)
	}
	return p
}

// SetDefaults sets the defaults of the options. If an option is invalid, Create
// returns an error.
func (p *Provider) SetDefaults() support.E2EClusterProvider {
	p.optionsErr = p.options.setDefaults()
	return p
}

// CreateWithConfig is not supported: the configuration is derived from the options.
func (p *Provider) CreateWithConfig(context.Context, string) (string, error) {
	return "", errors.New("the configuration of a control plane follows from its options: use Create")
}

// GetKubeconfig returns the path of the administrator's kubeconfig.
func (p *Provider) GetKubeconfig() string { return p.kubeconfig }

// SchedulerKubeconfig returns the path of a kubeconfig with the permissions of
// kube-scheduler, for a scheduler that the user starts. It is empty if the control plane
// does not run.
func (p *Provider) SchedulerKubeconfig() string {
	if p.dir == "" {
		return ""
	}
	return kubeconfigOf(p.dir, kubeScheduler)
}

// GenerateKubeconfig returns the path of the kubeconfig that Create has written.
func (p *Provider) GenerateKubeconfig(...string) (string, error) { return p.kubeconfig, nil }

// GetKubectlContext returns the name of the context in the kubeconfig.
func (p *Provider) GetKubectlContext() string { return "control-plane-" + p.options.Name }

// WaitForControlPlane waits until the API server is ready.
func (p *Provider) WaitForControlPlane(ctx context.Context, _ klient.Client) error {
	return waitUntil(ctx, "kube-apiserver is ready", nil, func(ctx context.Context) error {
		return p.get(ctx, p.ports.apiServer, "/readyz")
	})
}

// KubernetesRestConfig returns the administrator's client configuration. It is nil if
// the kubeconfig cannot be read.
func (p *Provider) KubernetesRestConfig() *rest.Config {
	config, err := readKubeconfig(p.kubeconfig)
	if err != nil {
		return nil
	}
	return config
}

// ExportLogs copies the logs of the components to a folder.
func (p *Provider) ExportLogs(_ context.Context, dir string) error {
	logs, err := filepath.Glob(filepath.Join(p.logs, "*.log"))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("export the logs of control plane %s: %w", p.options.Name, err)
	}
	for _, log := range logs {
		content, err := os.ReadFile(log)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(log)), content, 0o644)
		}
		if err != nil {
			return fmt.Errorf("export the logs of control plane %s: %w", p.options.Name, err)
		}
	}
	return nil
}

// Processes returns the ids of the running components, sorted.
func (p *Provider) Processes() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	var ids []int
	for _, running := range p.running {
		// The ids of others may be those of new processes of anybody.
		if running.ended() == nil {
			ids = append(ids, running.cmd.Process.Pid)
		}
	}
	slices.Sort(ids)
	return ids
}

// Folder returns the temporary folder. It is empty if the control plane does not run.
func (p *Provider) Folder() string { return p.dir }
