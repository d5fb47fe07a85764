// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"context"
	"errors"
	"fmt"
	"os"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/e2e-framework/klient"
	"sigs.k8s.io/e2e-framework/support"
	kindcluster "sigs.k8s.io/kind/pkg/cluster"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/engine"
)

// Provider creates and manages one kind cluster. It implements a cluster
// provider of e2e-framework. It is not safe for concurrent use.
type Provider struct {
	engine  *engine.Engine
	options Options
	// versionErr and optionsErr are the errors of WithVersion and SetDefaults,
	// which cannot return them. Create returns them.
	versionErr, optionsErr error
	// kubeconfig is set once the cluster exists.
	kubeconfig string
}

var _ support.E2EClusterProviderWithImageLoader = &Provider{}

// New returns a provider of a cluster with these options on this engine.
func New(e *engine.Engine, o Options) *Provider {
	return &Provider{engine: e, options: o}
}

// Name returns the cluster's name.
func (p *Provider) Name() string { return p.options.Name }

// WithName sets the cluster's name.
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

// WithPath does nothing: kind is used as a library.
func (p *Provider) WithPath(string) support.E2EClusterProvider { return p }

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

// invalid returns the errors of the options.
func (p *Provider) invalid() error { return errors.Join(p.versionErr, p.optionsErr) }

// CreateWithConfig is not supported: the configuration is derived from the
// options.
func (p *Provider) CreateWithConfig(context.Context, string) (string, error) {
	return "", errors.New("the configuration of a cluster follows from its options: use Create")
}

// GetKubeconfig returns the path of the file that contains the cluster's
// context.
func (p *Provider) GetKubeconfig() string { return p.kubeconfig }

// GenerateKubeconfig writes the cluster's context to its file again and returns
// the path.
func (p *Provider) GenerateKubeconfig(...string) (string, error) {
	if err := p.kind(nil).ExportKubeConfig(p.options.Name, p.options.Kubeconfig, false); err != nil {
		return "", fmt.Errorf("write the kubeconfig of cluster %s: %w", p.options.Name, withOutput(err))
	}
	p.setKubeconfig()
	return p.kubeconfig, nil
}

// GetKubectlContext returns the name of the cluster's context.
func (p *Provider) GetKubectlContext() string { return "kind-" + p.options.Name }

// WaitForControlPlane waits until all nodes are ready.
func (p *Provider) WaitForControlPlane(ctx context.Context, _ klient.Client) error {
	return p.waitReady(ctx)
}

// KubernetesRestConfig returns the client configuration of the cluster. It is
// nil if the kubeconfig cannot be read.
func (p *Provider) KubernetesRestConfig() *rest.Config {
	config, err := p.restConfig()
	if err != nil {
		return nil
	}
	return config
}

func (p *Provider) restConfig() (*rest.Config, error) {
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		&clientcmd.ClientConfigLoadingRules{ExplicitPath: p.kubeconfig},
		&clientcmd.ConfigOverrides{CurrentContext: p.GetKubectlContext()},
	).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig of cluster %s: %w", p.options.Name, err)
	}
	return config, nil
}

// setKubeconfig records the path of the file that kind wrote the context to.
func (p *Provider) setKubeconfig() {
	p.kubeconfig = p.options.Kubeconfig
	if p.kubeconfig == "" {
		p.kubeconfig = clientcmd.NewDefaultClientConfigLoadingRules().GetDefaultFilename()
	}
}

// kind returns kind's own provider for the engine. The provider logs to log
// unless it is nil.
func (p *Provider) kind(log *taskLogger) *kindcluster.Provider {
	driver := kindcluster.ProviderWithDocker()
	if p.engine.Name() == "podman" {
		driver = kindcluster.ProviderWithPodman()
	}
	if log == nil {
		return kindcluster.NewProvider(driver)
	}
	return kindcluster.NewProvider(driver, kindcluster.ProviderWithLogger(log))
}

// LoadImage is not supported: the suite's images are loaded as archives.
func (p *Provider) LoadImage(context.Context, string, ...string) error {
	return errors.New("images are loaded as archives: use LoadImageArchive")
}

// LoadImageArchive imports the images of an archive in the format of "docker
// save" into every node.
func (p *Provider) LoadImageArchive(ctx context.Context, path string, _ ...string) error {
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("load an image archive: %w", err)
	}
	return p.loadArchive(ctx, func() (*os.File, error) { return os.Open(path) })
}
