// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/client-go/rest"

	"github.com/draconform/draconform/internal/gocmd"
)

// process is a scheduler in a separate process, as a static pod would run it.
type process struct {
	output *output
	port   string
	// kill ends the process immediately, like kill -9.
	kill func()
}

// output is a buffer that can be read while it is written.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// startCommand runs the command as the RBAC user of kube-scheduler.
func (c *cluster) startCommand(flags ...string) *process {
	c.t.Helper()
	return c.startConfigured("", flags...)
}

// startConfigured runs the command with profiles in a configuration file.
func (c *cluster) startConfigured(profiles string, flags ...string) *process {
	c.t.Helper()
	return c.run(schedulerKubeconfig, profiles, flags...)
}

// buildCommand builds the command once for all tests.
var buildCommand = sync.OnceValues(func() (string, error) {
	binary := filepath.Join(scratch, "kube-scheduler")
	err := gocmd.Build(context.Background(), ".", func(gocmd.Done) {}, []string{"CGO_ENABLED=0"},
		"-buildvcs=false", "-o", binary, "../cmd/draconform-scheduler")
	if err != nil {
		return "", fmt.Errorf("build the scheduler: %w", err)
	}
	return binary, nil
})

// run starts the command with the path of a kubeconfig, and with a configuration if profiles is not empty.
func (c *cluster) run(kubeconfig, profiles string, flags ...string) *process {
	c.t.Helper()
	binary, err := buildCommand()
	c.Expect(err).NotTo(HaveOccurred())
	dir := c.t.TempDir()
	if profiles != "" {
		config := fmt.Sprintf("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nclientConnection: {kubeconfig: %q}\nprofiles: %s\n", kubeconfig, profiles)
		file := filepath.Join(dir, "config.yaml")
		c.Expect(os.WriteFile(file, []byte(config), 0o600)).To(Succeed())
		flags = append(flags, "--config="+file)
	}
	port := c.freePort()
	p := &process{output: &output{}, port: port}
	ctx, cancel := context.WithCancel(context.Background())
	// The flags of kubeadm's static pod.
	cmd := exec.CommandContext(ctx, binary, append([]string{
		"--authentication-kubeconfig=" + kubeconfig, "--authorization-kubeconfig=" + kubeconfig, "--kubeconfig=" + kubeconfig,
		"--bind-address=127.0.0.1", "--leader-elect=true", "--secure-port=" + port, "--cert-dir=" + dir,
	}, flags...)...)
	cmd.Stdout, cmd.Stderr = p.output, p.output
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 20 * time.Second
	c.Expect(cmd.Start()).To(Succeed())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = cmd.Wait()
	}()
	p.kill = func() {
		c.Expect(cmd.Process.Kill()).To(Succeed())
		<-done
	}
	c.t.Cleanup(func() {
		cancel()
		<-done
		if c.t.Failed() {
			c.t.Log(p.output.String())
		}
	})
	return p
}

// freePort returns a port of the loopback interface that is currently unused.
func (c *cluster) freePort() string {
	listener, err := (&net.ListenConfig{}).Listen(c.ctx, "tcp", "127.0.0.1:0")
	c.Expect(err).NotTo(HaveOccurred())
	_, port, err := net.SplitHostPort(listener.Addr().String())
	c.Expect(err).NotTo(HaveOccurred())
	c.Expect(listener.Close()).To(Succeed())
	return port
}

// ready returns an error if the health endpoint that kubeadm's probes use does not report
// readiness.
func (p *process) ready(ctx context.Context) error {
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://127.0.0.1:"+p.port+"/readyz", nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("readyz: %s", response.Status)
	}
	return nil
}

func TestCommandReplacesKubeScheduler(t *testing.T) {
	c := newCluster(t)
	c.node("a", 3)
	scheduler := c.startCommand("-v=2")
	c.Eventually(scheduler.ready).WithContext(c.ctx).Should(Succeed())
	c.claim("c", 1)
	c.pod("p", "c")
	c.podFrom("extended", func(p *corev1.Pod) {
		p.Spec.Containers[0].Resources.Limits = corev1.ResourceList{"example.com/gpu": resource.MustParse("1")}
	})
	c.Eventually(c.bound).Should(ConsistOf("p", "extended"))
	c.Expect(c.allocated()).To(Equal([]string{"a/gpu-0", "a/gpu-1"}))
	c.Expect(scheduler.output.String()).To(ContainSubstring("name: DraconformResources"), "the configuration it logs")
	c.Expect(scheduler.output.String()).NotTo(ContainSubstring("is forbidden"), "the role of kube-scheduler must do")
}

func TestCommandEmulatesOlderReleases(t *testing.T) {
	c := newCluster(t)
	c.node("a", 2)
	scheduler := c.startCommand("--emulated-version=1.36")
	c.Eventually(scheduler.ready).WithContext(c.ctx).Should(Succeed())
	c.podWithDevice("p")
	c.Eventually(c.bound).Should(ConsistOf("p"))
	c.Expect(c.allocated()).To(Equal([]string{"a/gpu-0"}))
}

func TestCommandServesMetricsAndExplanations(t *testing.T) {
	c := newCluster(t)
	c.nodeWith("a", 1, withSubnet)
	debug := "127.0.0.1:" + c.freePort()
	scheduler := c.startConfigured(fmt.Sprintf("[{schedulerName: default-scheduler, pluginConfig: [{name: DraconformResources, args: {debugAddress: %q}}]}]", debug))
	c.Eventually(scheduler.ready).WithContext(c.ctx).Should(Succeed())
	c.podInSubnet("x", "x")
	c.Eventually(c.nodeOf("x")).Should(Equal("a"))
	c.podInSubnet("y", "y")
	c.Eventually(c.reasonOf("y")).Should(ContainSubstring("is locked to incompatible affinity values"))

	c.Expect(c.get(http.DefaultClient, "http://"+debug+"/debug/draconform/pods/default/y")).To(ContainSubstring(`"kind": "SharingAffinity"`))
	config := rest.AnonymousClientConfig(admin)
	config.CertData, config.KeyData, config.CAData, config.Insecure = admin.CertData, admin.KeyData, nil, true
	client, err := rest.HTTPClientFor(config)
	c.Expect(err).NotTo(HaveOccurred())
	c.Expect(c.get(client, "https://127.0.0.1:"+scheduler.port+"/metrics")).To(And(
		ContainSubstring(`draconform_scheduler_affinity_devices{state="locked"} 1`),
		MatchRegexp(`draconform_scheduler_explanations_total{reason="SharingAffinity"} [1-9]`),
		MatchRegexp(`draconform_scheduler_search_duration_seconds_count{result="no_fit"} [1-9]`)))
}

// get returns the body of a response.
func (c *cluster) get(client *http.Client, url string) string {
	request, err := http.NewRequestWithContext(c.ctx, http.MethodGet, url, nil)
	c.Expect(err).NotTo(HaveOccurred())
	response, err := client.Do(request)
	c.Expect(err).NotTo(HaveOccurred())
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	c.Expect(err).NotTo(HaveOccurred())
	c.Expect(response.StatusCode).To(Equal(http.StatusOK), string(body))
	return string(body)
}
