// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package existing gives access to a cluster that draconform did not create. It
// does not change the cluster.
package existing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/e2e-framework/klient"
	"sigs.k8s.io/e2e-framework/support"
)

// InCluster is the name of the cluster of the pod in which this program runs.
const InCluster = "in-cluster"

// answerTimeout bounds the wait for the API server's first response.
const answerTimeout = 15 * time.Second

// Provider gives access to an existing cluster. It implements a cluster
// provider of e2e-framework. Methods that would change the cluster do nothing.
type Provider struct {
	// kubeconfig and context are empty for the cluster of this pod.
	kubeconfig string
	context    string
	namespace  string
	config     *rest.Config
}

var _ support.E2EClusterProvider = &Provider{}

// New reads a kubeconfig and selects one of its contexts. An empty argument
// selects kubectl's default. If the file or the context does not exist, the
// error names it. In a pod without a kubeconfig, New selects the cluster of the
// pod and authenticates by the pod's service account.
func New(kubeconfig, context string) (*Provider, error) {
	return newProvider(kubeconfig, context, rest.InClusterConfig)
}

func newProvider(kubeconfig, context string, inCluster func() (*rest.Config, error)) (*Provider, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: context})
	raw, err := loader.RawConfig()
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig: %w", err)
	}
	if kubeconfig == "" && context == "" && clientcmdapi.IsConfigEmpty(&raw) {
		config, err := inCluster()
		if err == nil {
			return &Provider{config: config}, nil
		}
		if !errors.Is(err, rest.ErrNotInCluster) {
			return nil, fmt.Errorf("use the service account of this pod: %w", err)
		}
	}
	if context == "" {
		context = raw.CurrentContext
	}
	if context == "" {
		return nil, fmt.Errorf("no cluster is selected: %s", contexts(raw))
	}
	if raw.Contexts[context] == nil {
		return nil, fmt.Errorf("read context %q of the kubeconfig: it does not exist: %s", context, contexts(raw))
	}
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("read context %q of the kubeconfig: %w", context, err)
	}
	namespace, _, err := loader.Namespace()
	if err != nil {
		return nil, fmt.Errorf("read the namespace of context %q of the kubeconfig: %w", context, err)
	}
	return &Provider{kubeconfig: rules.GetDefaultFilename(), context: context, namespace: namespace, config: config}, nil
}

// contexts says which contexts can be selected, and how.
func contexts(raw clientcmdapi.Config) string {
	if len(raw.Contexts) == 0 {
		return "no kubeconfig has a context: --kubeconfig or the environment variable KUBECONFIG names another one"
	}
	return fmt.Sprintf("the kubeconfig has %s: --context selects one of them", strings.Join(slices.Sorted(maps.Keys(raw.Contexts)), ", "))
}

// Create checks that the API server responds and returns the path of the
// kubeconfig, see [Provider.GetKubeconfig].
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
		return p.noAnswer(ctx, err)
	}
	return nil
}

// noAnswer returns an error that names the cluster and says what to try, unless the
// caller has ended the wait.
func (p *Provider) noAnswer(ctx context.Context, err error) error {
	of, hint := "of this pod", ""
	if p.context != "" {
		of = fmt.Sprintf("of context %q", p.context)
		if ctx.Err() == nil {
			hint = fmt.Sprintf(": try \"kubectl --context %s get --raw /version\", or select another cluster", p.context)
		}
	}
	if apierrors.IsUnauthorized(err) || apierrors.IsForbidden(err) {
		return fmt.Errorf("cluster %s at %s rejects the credentials: %w%s", of, p.config.Host, err, hint)
	}
	return fmt.Errorf("cluster %s at %s does not answer: %w%s", of, p.config.Host, err, hint)
}

// CreateWithConfig is the same as Create: an existing cluster has no
// configuration file.
func (p *Provider) CreateWithConfig(ctx context.Context, _ string) (string, error) {
	return p.Create(ctx)
}

// Destroy does nothing: draconform does not own the cluster.
func (p *Provider) Destroy(context.Context) error { return nil }

// ExportLogs does nothing: the nodes are not accessible.
func (p *Provider) ExportLogs(context.Context, string) error { return nil }

// WaitForControlPlane returns when the API server responds.
func (p *Provider) WaitForControlPlane(ctx context.Context, _ klient.Client) error {
	return p.answers(ctx)
}

// GetKubeconfig returns the path of the kubeconfig. It is empty for the cluster
// of this pod. A child process selects the same cluster by passing both to New.
func (p *Provider) GetKubeconfig() string { return p.kubeconfig }

// GenerateKubeconfig returns the path of the existing kubeconfig.
func (p *Provider) GenerateKubeconfig(...string) (string, error) { return p.kubeconfig, nil }

// GetKubectlContext returns the selected context. It is empty for the cluster of
// this pod.
func (p *Provider) GetKubectlContext() string { return p.context }

// Namespace returns the namespace of the selected context. It is empty for the
// cluster of this pod.
func (p *Provider) Namespace() string { return p.namespace }

// Name returns the selected context, or [InCluster].
func (p *Provider) Name() string { return cmp.Or(p.context, InCluster) }

// KubernetesRestConfig returns a copy of the client configuration.
func (p *Provider) KubernetesRestConfig() *rest.Config { return rest.CopyConfig(p.config) }

// SetDefaults does nothing.
func (p *Provider) SetDefaults() support.E2EClusterProvider { return p }

// WithName does nothing: an existing cluster cannot be renamed.
func (p *Provider) WithName(string) support.E2EClusterProvider { return p }

// WithVersion does nothing: the release of an existing cluster is fixed.
func (p *Provider) WithVersion(string) support.E2EClusterProvider { return p }

// WithPath does nothing: the provider runs no program.
func (p *Provider) WithPath(string) support.E2EClusterProvider { return p }

// WithOpts applies options.
func (p *Provider) WithOpts(opts ...support.ClusterOpts) support.E2EClusterProvider {
	for _, o := range opts {
		o(p)
	}
	return p
}
