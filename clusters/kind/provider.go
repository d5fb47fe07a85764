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

// Provider is one kind cluster, created or to be created. It is what
// e2e-framework calls a cluster provider. It is not safe for concurrent use.
type Provider struct {
	engine  *engine.Engine
	options Options
	// versionErr and optionsErr are what WithVersion and SetDefaults could not
	// return; Create does.
	versionErr, optionsErr error
	// kubeconfig is set once the cluster exists.
	kubeconfig string
}

var _ support.E2EClusterProviderWithImageLoader = &Provider{}

// New returns the provider of a cluster with these options on this engine.
func New(e *engine.Engine, o Options) *Provider {
	return &Provider{engine: e, options: o}
}

// Name is the cluster's name.
func (p *Provider) Name() string { return p.options.Name }

// WithName names the cluster.
func (p *Provider) WithName(name string) support.E2EClusterProvider {
	p.options.Name = name
	return p
}

// WithVersion chooses the Kubernetes release, as 1.37 or v1.37.1. One that is
// not supported makes Create fail.
func (p *Provider) WithVersion(version string) support.E2EClusterProvider {
	p.options.Release, p.versionErr = clusters.FindRelease(version)
	return p
}

// WithPath changes nothing: kind is a library here, not a program.
func (p *Provider) WithPath(string) support.E2EClusterProvider { return p }

// WithOpts applies options.
func (p *Provider) WithOpts(opts ...support.ClusterOpts) support.E2EClusterProvider {
	for _, o := range opts {
		o(p)
	}
	return p
}

// SetDefaults completes the options. An option that is wrong makes Create fail.
func (p *Provider) SetDefaults() support.E2EClusterProvider {
	p.optionsErr = p.options.setDefaults()
	return p
}

// invalid is why there cannot be a cluster with these options.
func (p *Provider) invalid() error { return errors.Join(p.versionErr, p.optionsErr) }

// CreateWithConfig is not supported: the configuration follows from the
// options.
func (p *Provider) CreateWithConfig(context.Context, string) (string, error) {
	return "", errors.New("the configuration of a cluster follows from its options: use Create")
}

// GetKubeconfig is the path of the file that holds the cluster's context.
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

// GetKubectlContext is the name of the cluster's context.
func (p *Provider) GetKubectlContext() string { return "kind-" + p.options.Name }

// WaitForControlPlane returns when all nodes are ready.
func (p *Provider) WaitForControlPlane(ctx context.Context, _ klient.Client) error {
	return p.waitReady(ctx)
}

// KubernetesRestConfig connects to the cluster. It is nil if there is none.
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

// setKubeconfig remembers where kind wrote the context.
func (p *Provider) setKubeconfig() {
	p.kubeconfig = p.options.Kubeconfig
	if p.kubeconfig == "" {
		p.kubeconfig = clientcmd.NewDefaultClientConfigLoadingRules().GetDefaultFilename()
	}
}

// kind is kind's own provider for the engine; it tells what it does to log.
func (p *Provider) kind(log *stageLogger) *kindcluster.Provider {
	driver := kindcluster.ProviderWithDocker()
	if p.engine.Name() == "podman" {
		driver = kindcluster.ProviderWithPodman()
	}
	if log == nil {
		return kindcluster.NewProvider(driver)
	}
	return kindcluster.NewProvider(driver, kindcluster.ProviderWithLogger(log))
}

// LoadImage is not supported: images of the suite are archives.
func (p *Provider) LoadImage(context.Context, string, ...string) error {
	return errors.New("images are loaded as archives: use LoadImageArchive")
}

// LoadImageArchive imports the images of an archive, as "docker save" writes
// it, into every node.
func (p *Provider) LoadImageArchive(ctx context.Context, path string, _ ...string) error {
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("load an image archive: %w", err)
	}
	return p.loadArchive(ctx, func() (*os.File, error) { return os.Open(path) })
}
