// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"context"
	"crypto/rand"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
)

// tokenKey is the key of the control endpoint's token in the Secret. The
// plugin's pods mount it as a file of that name.
const tokenKey = "token"

// secret returns the Secret with the token. It is immutable because running
// pods would keep using the old token.
func (o Options) secret(token string) *corev1.Secret {
	return &corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{Namespace: o.Namespace, Name: o.DriverName, Labels: o.labels()},
		Immutable:  ptr.To(true),
		Data:       map[string][]byte{tokenKey: []byte(token)},
	}
}

// ensureToken creates the Secret with a new token if it does not exist. It uses
// create because apply would change a token that is in use.
func (o Options) ensureToken(ctx context.Context, client kubernetes.Interface) error {
	secrets := client.CoreV1().Secrets(o.Namespace)
	_, err := secrets.Create(ctx, o.secret(rand.Text()), metav1.CreateOptions{FieldManager: o.fieldManager()})
	if err == nil {
		return nil
	}
	if !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create Secret %s: %w", o.DriverName, err)
	}
	_, err = o.token(ctx, client)
	return err
}

// token returns the token of the control endpoint.
func (o Options) token(ctx context.Context, client kubernetes.Interface) (string, error) {
	secret, err := client.CoreV1().Secrets(o.Namespace).Get(ctx, o.DriverName, metav1.GetOptions{})
	if err != nil {
		return "", fmt.Errorf("get the Secret with the token of the control endpoint: %w", err)
	}
	if err := o.checkOwner(secret); err != nil {
		return "", fmt.Errorf("secret %s/%s: %w", secret.Namespace, secret.Name, err)
	}
	token := string(secret.Data[tokenKey])
	if token == "" {
		return "", fmt.Errorf("secret %s/%s has no %s for the control endpoint", secret.Namespace, secret.Name, tokenKey)
	}
	return token, nil
}
