// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	authenticationapi "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/run"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/hack/internal/draconform"
	"github.com/draconform/draconform/hack/internal/foreign"
)

// audited is a run with the rights of its roles only.
type audited struct {
	// account is the name of its service account and its roles.
	account string
	// namespace is the given namespace. It is empty if the run creates one.
	namespace string
}

// auditedRuns are the runs whose rights differ most.
var auditedRuns = []audited{{account: "own-namespace"}, {account: "given-namespace", namespace: "given"}}

const (
	// accounts is the namespace of the service accounts.
	accounts = "draconform-audit"
	// tokenLifetime exceeds the time of a run.
	tokenLifetime = 2 * time.Hour
	auditLog      = "audit.log"
)

func (a audited) serviceAccount() string { return accounts + "/" + a.account }

// rbacFlags are the flags of "draconform rbac" about the run.
func (a audited) rbacFlags() []string {
	flags := []string{"--service-account", a.serviceAccount(), "--node-agent"}
	if a.namespace != "" {
		flags = append(flags, "--namespace", a.namespace)
	}
	return flags
}

func (c *cluster) auditDir() string { return filepath.Join(c.dir, "audit") }

// writeAuditPolicy writes the policy of the API server, and returns the folder
// that also gets the log.
func (c *cluster) writeAuditPolicy(ctx context.Context) (string, error) {
	args := []string{"rbac", "audit-policy"}
	for _, a := range auditedRuns {
		args = append(args, "--service-account", a.serviceAccount())
	}
	policy, err := c.output(ctx, args...)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(c.auditDir(), 0o755); err != nil {
		return "", fmt.Errorf("create the folder of the audit log: %w", err)
	}
	if err := os.WriteFile(filepath.Join(c.auditDir(), "policy.yaml"), policy, 0o644); err != nil {
		return "", fmt.Errorf("write the audit policy: %w", err)
	}
	return c.auditDir(), nil
}

// output returns what a command of draconform prints.
func (c *cluster) output(ctx context.Context, args ...string) ([]byte, error) {
	var problem bytes.Buffer
	cmd := exec.CommandContext(ctx, c.draconform, args...)
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("%s %v: %w: %s", c.draconform, args, err, bytes.TrimSpace(problem.Bytes()))
	}
	return out, nil
}

// auditRights lets runs judge the drivers as service accounts with the roles that
// "draconform rbac" prints, and compares the roles with the audit log.
func (c *cluster) auditRights(ctx context.Context, out io.Writer) error {
	config, err := c.provider.RESTConfig(ctx)
	if err != nil {
		return fmt.Errorf("connect to the cluster: %w", err)
	}
	files, err := c.driverFlags()
	if err != nil {
		return err
	}
	if err := c.createManifest(ctx, config, []byte(accountsManifest())); err != nil {
		return err
	}
	var errs []error
	for _, a := range auditedRuns {
		errs = append(errs, c.runAudited(ctx, config, a, files))
		if ctx.Err() != nil {
			break
		}
		compared, err := c.output(ctx, append(append([]string{"rbac", "compare", filepath.Join(c.auditDir(), auditLog)}, a.rbacFlags()...), files...)...)
		fmt.Fprintf(out, "run in its %s:\n%s", a.account, compared)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// accountsManifest returns the namespaces and service accounts of all runs.
func accountsManifest() string {
	var text strings.Builder
	text.WriteString(namespaceManifest(accounts))
	for _, a := range auditedRuns {
		fmt.Fprintf(&text, "---\napiVersion: v1\nkind: ServiceAccount\nmetadata: {name: %s, namespace: %s}\n", a.account, accounts)
		if a.namespace != "" {
			text.WriteString("---\n" + namespaceManifest(a.namespace))
		}
	}
	return text.String()
}

func namespaceManifest(name string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: Namespace\nmetadata: {name: %s}\n", name)
}

func (c *cluster) createManifest(ctx context.Context, config *rest.Config, content []byte) error {
	objects, err := foreign.Decode(content)
	if err != nil {
		return fmt.Errorf("read a manifest: %w", err)
	}
	return foreign.Create(ctx, config, objects)
}

// runAudited creates the roles of a run and runs the specs with their rights.
func (c *cluster) runAudited(ctx context.Context, config *rest.Config, a audited, files []string) error {
	roles, err := c.output(ctx, append(append([]string{"rbac", "--name", accounts + "-" + a.account}, a.rbacFlags()...), files...)...)
	if err != nil {
		return err
	}
	if err := c.createManifest(ctx, config, roles); err != nil {
		return err
	}
	kubeconfig, err := c.writeKubeconfig(ctx, config, a)
	if err != nil {
		return err
	}
	args := append([]string{
		"run", "--provider", run.Existing, "--kubeconfig", kubeconfig, "--node-agent", "--timeout-scale", strconv.FormatFloat(c.scale, 'g', -1, 64),
	}, files...)
	if a.namespace != "" {
		args = append(args, "--namespace", a.namespace)
	}
	if c.focus != "" {
		args = append(args, "--focus", c.focus)
	}
	task := c.progress.Task("specs in their %s", a.account)
	got, err := draconform.Run{
		Command: c.draconform, Args: args, Dir: filepath.Join(c.dir, a.account), Timeout: runTimeout, CleanUp: removeTimeout,
	}.Report(ctx)
	if err != nil {
		return task.Fail(fmt.Errorf("judge the drivers as %s: %w", a.serviceAccount(), err))
	}
	if failed := failedSpecs(got); len(failed) > 0 {
		return task.Fail(fmt.Errorf("%d specs failed with the rights of %s, see %s: %s", len(failed), a.serviceAccount(), c.dir, strings.Join(failed, ", ")))
	}
	task.Done("verdict " + got.Verdict.String())
	return nil
}

// failedSpecs returns the ids of the specs that failed, also of those that the
// verdict leaves out. A right that is missing makes specs fail, and is not always in
// the audit log: the API server asks for some in addition to those of requests.
func failedSpecs(got report.Report) []string {
	var ids []string
	for _, s := range got.Specs {
		if s.Outcome == suite.Failed {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// writeKubeconfig writes a kubeconfig with a token of the service account.
func (c *cluster) writeKubeconfig(ctx context.Context, config *rest.Config, a audited) (string, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return "", fmt.Errorf("connect to the cluster: %w", err)
	}
	request := &authenticationapi.TokenRequest{Spec: authenticationapi.TokenRequestSpec{ExpirationSeconds: ptr.To(int64(tokenLifetime.Seconds()))}}
	token, err := client.CoreV1().ServiceAccounts(accounts).CreateToken(ctx, a.account, request, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("create a token of service account %s: %w", a.serviceAccount(), err)
	}
	path := filepath.Join(c.dir, "kubeconfig-"+a.account)
	if err := clientcmd.WriteToFile(kubeconfigOf(config, token.Status.Token), path); err != nil {
		return "", fmt.Errorf("write the kubeconfig of service account %s: %w", a.serviceAccount(), err)
	}
	return path, nil
}

func kubeconfigOf(config *rest.Config, token string) clientcmdapi.Config {
	const name = "audited"
	kubeconfig := *clientcmdapi.NewConfig()
	kubeconfig.Clusters[name] = &clientcmdapi.Cluster{Server: config.Host, CertificateAuthorityData: config.CAData}
	kubeconfig.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: token}
	kubeconfig.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	kubeconfig.CurrentContext = name
	return kubeconfig
}
