// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// users are the users of components, in the files of their kubeconfigs. The names are
// those that Kubernetes' own roles are bound to.
var users = map[string]string{
	kubeControllerManager: "system:kube-controller-manager",
	kubeScheduler:         "system:kube-scheduler",
}

// writeKubeconfigs writes the kubeconfigs of the components to a folder, that of the
// administrator to its own file, and the tokens of all of them to the file for the API
// server. It would verify a client certificate with each request, which takes 7 % of its
// processors' time. It caches tokens.
func (a *authority) writeKubeconfigs(dir, admin, contextName string, port int) error {
	var tokens []string
	write := func(path, user string, groups ...string) error {
		token := rand.Text()
		tokens = append(tokens, strings.Join(append([]string{token, user, user}, groups...), ",")+"\n")
		return a.writeKubeconfig(path, contextName, port, user, token)
	}
	for component, user := range users {
		if err := write(kubeconfigOf(dir, component), user); err != nil {
			return err
		}
	}
	if err := write(admin, "kubernetes-admin", mastersGroup); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, tokensFile), []byte(strings.Join(tokens, "")), 0o600)
}

func kubeconfigOf(dir, component string) string {
	return filepath.Join(dir, component+".kubeconfig")
}

func (a *authority) writeKubeconfig(path, contextName string, port int, user, token string) error {
	config := clientcmdapi.NewConfig()
	config.Clusters[contextName] = &clientcmdapi.Cluster{
		Server: "https://" + address(port), CertificateAuthorityData: a.pem(),
		// It takes more time than the loopback interface takes for large lists.
		DisableCompression: true,
	}
	config.AuthInfos[contextName] = &clientcmdapi.AuthInfo{Token: token}
	config.Contexts[contextName] = &clientcmdapi.Context{Cluster: contextName, AuthInfo: contextName}
	config.CurrentContext = contextName
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		return fmt.Errorf("write the kubeconfig of %s: %w", user, err)
	}
	return nil
}

// readKubeconfig returns the client configuration of a kubeconfig.
func readKubeconfig(path string) (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig of the control plane: %w", err)
	}
	return config, nil
}
