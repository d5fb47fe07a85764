// Package existing gives access to a cluster that somebody else created, and
// leaves it as it is.
package existing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/e2e-framework/klient"
	"sigs.k8s.io/e2e-framework/support"
)

// answerTimeout bounds the wait for the API server's first answer.
const answerTimeout = 15 * time.Second

// Provider is an existing cluster, which it neither creates nor removes. It is
// what e2e-framework calls a cluster provider; what would change the cluster
// does nothing.
type Provider struct {
	kubeconfig string
	context    string
	config     *rest.Config
}

var _ support.E2EClusterProvider = &Provider{}

// New reads a kubeconfig and chooses one of its contexts. Empty means what
// kubectl would use. An unknown file or context is an error that names it.
func New(kubeconfig, context string) (*Provider, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: context})
	raw, err := loader.RawConfig()
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig: %w", err)
	}
	if context == "" {
		context = raw.CurrentContext
	}
	if context == "" {
		return nil, errors.New("no cluster is chosen: name a kubeconfig and a context")
	}
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("read context %q of the kubeconfig: %w", context, err)
	}
	return &Provider{kubeconfig: rules.GetDefaultFilename(), context: context, config: config}, nil
}

// Create checks that the cluster answers and returns the kubeconfig's path.
func (p *Provider) Create(ctx context.Context, _ ...string) (string, error) {
	return p.kubeconfig, p.answers(ctx)
}

func (p *Provider) answers(ctx context.Context) error {
	config := rest.CopyConfig(p.config)
	config.Timeout = answerTimeout
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return err
	}
	if _, err := client.RESTClient().Get().AbsPath("/version").DoRaw(ctx); err != nil {
		return fmt.Errorf("cluster of context %q at %s does not answer: %w", p.context, p.config.Host, err)
	}
	return nil
}

// CreateWithConfig is Create: an existing cluster has no configuration file.
func (p *Provider) CreateWithConfig(ctx context.Context, _ string) (string, error) {
	return p.Create(ctx)
}

// Destroy does nothing: the cluster is not ours.
func (p *Provider) Destroy(context.Context) error { return nil }

// ExportLogs does nothing: the nodes are out of reach.
func (p *Provider) ExportLogs(context.Context, string) error { return nil }

// WaitForControlPlane returns when the API server answers.
func (p *Provider) WaitForControlPlane(ctx context.Context, _ klient.Client) error {
	return p.answers(ctx)
}

// GetKubeconfig is the kubeconfig's path.
func (p *Provider) GetKubeconfig() string { return p.kubeconfig }

// GenerateKubeconfig returns the kubeconfig's path: it is there already.
func (p *Provider) GenerateKubeconfig(...string) (string, error) { return p.kubeconfig, nil }

// GetKubectlContext is the chosen context.
func (p *Provider) GetKubectlContext() string { return p.context }

// KubernetesRestConfig connects to the cluster.
func (p *Provider) KubernetesRestConfig() *rest.Config { return rest.CopyConfig(p.config) }

// SetDefaults changes nothing.
func (p *Provider) SetDefaults() support.E2EClusterProvider { return p }

// WithName changes nothing: the cluster has its name.
func (p *Provider) WithName(string) support.E2EClusterProvider { return p }

// WithVersion changes nothing: the cluster has its release.
func (p *Provider) WithVersion(string) support.E2EClusterProvider { return p }

// WithPath changes nothing: no program is run.
func (p *Provider) WithPath(string) support.E2EClusterProvider { return p }

// WithOpts applies options.
func (p *Provider) WithOpts(opts ...support.ClusterOpts) support.E2EClusterProvider {
	for _, o := range opts {
		o(p)
	}
	return p
}
