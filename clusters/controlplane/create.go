// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/internal/garbage"
)

// attempts is how often a control plane is started if other programs take its ports
// meanwhile.
const attempts = 3

// Create starts the control plane, waits until it is ready and returns the path of its
// kubeconfig. If it fails or the context ends, it ends everything that it has started.
// The error has the last lines of the log of a component that has ended.
func (p *Provider) Create(ctx context.Context, _ ...string) (string, error) {
	p.SetDefaults()
	if err := errors.Join(p.versionErr, p.optionsErr); err != nil {
		return "", err
	}
	if len(p.running) > 0 {
		return "", fmt.Errorf("control plane %s is running", p.options.Name)
	}
	programs, err := p.options.Programs(ctx)
	if err != nil {
		return "", err
	}
	task := p.options.Progress.TaskOf("control plane", "control plane %s: Kubernetes %s, scheduler %s, gates %s",
		p.options.Name, p.options.Release.Version, p.schedulerText(), p.options.Gates.Name())
	for attempt := 1; ; attempt++ {
		if err = p.start(ctx, programs); err == nil {
			task.Done("ready")
			return p.kubeconfig, nil
		}
		err = errors.Join(err, p.Destroy(context.WithoutCancel(ctx)))
		if !portTaken(err) || attempt == attempts {
			return "", task.Fail(fmt.Errorf("start control plane %s: %w", p.options.Name, err))
		}
	}
}

func (p *Provider) schedulerText() string {
	if p.options.Scheduler.External {
		return "of the user"
	}
	return p.options.Scheduler.Name
}

// start starts all components. The scheduler's program is built meanwhile.
func (p *Provider) start(ctx context.Context, programs string) error {
	if err := p.prepare(ctx); err != nil {
		return err
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error {
		ctx, cancel := p.readyContext(groupCtx)
		defer cancel()
		return p.startAPI(ctx, programs)
	})
	if !p.options.Scheduler.External {
		group.Go(func() (err error) {
			p.scheduler.path, p.scheduler.config, err = p.setUpScheduler(groupCtx, programs)
			return err
		})
	}
	if err := group.Wait(); err != nil || p.options.Scheduler.External {
		return err
	}
	ctx, cancel := p.readyContext(ctx)
	defer cancel()
	return p.startScheduler(ctx)
}

func (p *Provider) readyContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, p.options.ReadyTimeout, fmt.Errorf("timed out after %s", p.options.ReadyTimeout))
}

// prepare makes the temporary folder, the certificates and the client.
func (p *Provider) prepare(ctx context.Context) (err error) {
	if p.dir, err = os.MkdirTemp("", "draconform-control-plane-"); err != nil {
		return err
	}
	p.logs = p.options.LogDir
	if p.logs == "" {
		p.logs = filepath.Join(p.dir, "logs")
	}
	if err := os.MkdirAll(p.logs, 0o755); err != nil {
		return err
	}
	free, err := freePorts(ctx, 4)
	if err != nil {
		return err
	}
	p.ports = ports{etcd: free[0], apiServer: free[1], controllerManager: free[2], scheduler: free[3]}
	ca, err := newAuthority()
	if err != nil {
		return err
	}
	if err := ca.writeCertificates(p.dir); err != nil {
		return err
	}
	p.kubeconfig = p.options.Kubeconfig
	if p.kubeconfig == "" {
		p.kubeconfig = kubeconfigOf(p.dir, "admin")
	}
	if err := ca.writeKubeconfigs(p.dir, p.kubeconfig, p.GetKubectlContext(), p.ports.apiServer); err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AddCert(ca.certificate)
	p.http = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}}
	config, err := readKubeconfig(p.kubeconfig)
	if err != nil {
		return err
	}
	p.client, err = kubernetes.NewForConfig(config)
	return err
}

// startAPI starts all components except for the scheduler, and waits until they are
// ready.
func (p *Provider) startAPI(ctx context.Context, programs string) error {
	storage, err := p.startProcess(ctx, etcd, filepath.Join(programs, etcd), etcdArgs(p.dir, p.ports), nil)
	if err != nil {
		return err
	}
	// kube-apiserver waits longer than necessary if its first connection fails.
	err = waitUntil(ctx, "etcd listens", []*process{storage}, func(ctx context.Context) error { return listens(ctx, p.ports.etcd) })
	if err != nil {
		return err
	}
	api, err := p.startProcess(ctx, kubeAPIServer, filepath.Join(programs, kubeAPIServer), apiServerArgs(p.dir, p.ports, &p.options), nil)
	if err != nil {
		return err
	}
	err = waitUntil(ctx, "kube-apiserver is ready", []*process{storage, api}, func(ctx context.Context) error {
		return p.get(ctx, p.ports.apiServer, "/readyz")
	})
	if err != nil {
		return err
	}
	controllers, err := p.startProcess(ctx, kubeControllerManager, filepath.Join(programs, kubeControllerManager), controllerManagerArgs(p.dir, p.ports, &p.options), nil)
	if err != nil {
		return err
	}
	return waitUntil(ctx, "kube-controller-manager makes service accounts", []*process{storage, api, controllers}, func(ctx context.Context) error {
		_, err := p.client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
}

// startProcess starts a component. Its log is next to those of the others.
func (p *Provider) startProcess(ctx context.Context, name, path string, args, env []string) (*process, error) {
	started, err := startProcess(ctx, name, path, args, append(garbage.Environ(garbage.Components), env...), filepath.Join(p.logs, name+".log"), !p.options.Keep, p.processEnded)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running[name] = started
	return started, nil
}

// requestTimeout bounds one request of a readiness check.
const requestTimeout = 5 * time.Second

// errNoPath is the error of a path that a component does not serve.
var errNoPath = errors.New("not served")

// get returns an error unless a component answers a request with 200.
func (p *Provider) get(ctx context.Context, port int, path string) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+address(port)+path, nil)
	if err != nil {
		return err
	}
	response, err := p.http.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return fmt.Errorf("GET %s: %w", request.URL, err)
	case response.StatusCode == http.StatusNotFound:
		return fmt.Errorf("GET %s: %w: %s", request.URL, errNoPath, body)
	case response.StatusCode != http.StatusOK:
		return fmt.Errorf("GET %s: %s: %s", request.URL, response.Status, body)
	}
	return nil
}

// Destroy ends all components and removes the temporary folder. It does nothing if
// there are none.
func (p *Provider) Destroy(context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	// Their data are removed, so that they need not end in order.
	for _, name := range slices.Backward(fundamental) {
		if running, ok := p.running[name]; ok {
			running.kill()
			delete(p.running, name)
		}
	}
	if p.http != nil {
		p.http.CloseIdleConnections()
	}
	if p.dir == "" {
		return nil
	}
	dir := p.dir
	p.dir = ""
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove the folder of control plane %s: %w", p.options.Name, err)
	}
	return nil
}
